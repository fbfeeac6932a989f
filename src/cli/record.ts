import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { readFile } from 'node:fs/promises'
import { refuseRecording } from './compare.ts'
import { Refusal } from './failures.ts'
import {
  durationOr,
  type End,
  jsonOption,
  plainCommand,
  readAddress,
  userOption,
  yesOption,
} from './options.ts'
import { exitCodes, type Output } from './output.ts'
import type { Process } from './process.ts'
import { readRecording } from '../fidelity/har.ts'
import { probe, record } from '../fidelity/library.ts'
import { AcceptedError, probeRequests } from '../fidelity/probe.ts'
import { CALLBACKS } from '../fidelity/record.ts'
import { isLoopback } from '../lib/text/is-url.ts'
import { leaksIn } from '../fidelity/redact.ts'

/** A command with the flags that `record` and `probe` share. */
const recordingCommand = (name: string, about: string, file: string) =>
  new Command(name)
    .description(about)
    .addOption(new Option('--service <address>', 'the address of the service').argParser(readAddress))
    .option('--out <file>', 'the recording, which must not exist yet', file)
    .option('--ca <file>', "the certificate authority of the service, PEM; by default the system's")
    .addOption(jsonOption())

export const recordCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    recordingCommand(
      'record',
      'Record the traffic of your integration with the real service: point its base URL at this proxy. Requests, responses and ' +
        'callbacks pass unchanged. The recording (HAR 1.2) contains no credentials; personal data become pseudonyms of the same form.',
      'session.har',
    )
      .addOption(new Option('--port <number>', 'the port of the proxy').default(8081).argParser(readPort))
      .addOption(
        new Option(
          '--public-url <address>',
          'the public address of this proxy, such as a tunnel; it replaces callback_url, and callbacks are forwarded to your receiver',
        ).argParser(readAddress),
      )
      .addOption(
        new Option(
          '--callbacks <address>',
          `your receiver; callbacks that arrive at ${CALLBACKS} are forwarded to it`,
        ).argParser(readAddress),
      )
      .addOption(
        new Option('--redact <what>', 'none keeps all data, and needs a confirmation')
          .choices(['personal', 'none'])
          .default('personal'),
      )
      .option(
        '--verify <file>',
        'list sensitive values that a recording still contains; exit code 1 if there are any',
      ),
    async ({ out }, flags) => {
      if (flags.verify !== undefined) return verify(out, flags.verify)
      const { port, publicUrl, callbacks, redact } = flags
      const options = await optionsOf(io, flags)
      const { service, out: file } = options
      const { hostname, port: to } = new URL(service)
      if (Number(to) === port && isLoopback(hostname))
        throw new Refusal(
          `--service ${service} is this proxy; pass the address of the service, or another --port`,
          exitCodes.usage,
        )
      const question = 'The recording will contain credentials, phone numbers and names as they are.'
      if (redact === 'none' && !(await io.confirm?.(question, WORDS))) {
        io.err.write(`Nothing is recorded: --redact none needs "${WORDS}", typed at a terminal.\n`)
        return exitCodes.usage
      }
      const onExchange = ({ request, response, time, _error, _callback }: Recorded) => {
        const { method } = request
        const { status } = response
        const callback = _callback !== undefined
        const result = _error === undefined ? String(status) : `broke off: ${_error}`
        const what = `${callback ? 'callback' : method} ${new URL(request.url).pathname}`
        const fact = { kind: 'exchange', callback, method, status, error: _error ?? null, ms: time }
        out.say(`${what} ${result} in ${Math.round(time)} ms`, fact)
      }
      const recording = await record({ ...options, port, publicUrl, callbacks, redact, onExchange }).catch(
        refused(file, port),
      )
      const { url } = recording
      const address =
        publicUrl === undefined && callbacks === undefined ? null : `${publicUrl ?? url}${CALLBACKS}`
      out.say(
        `recording ${service} at ${url} to ${file}\n` +
          `Set the base URL of your integration to ${url}. Ctrl-C ends the recording.\n` +
          (address === null
            ? 'Callbacks are not recorded: pass --public-url or --callbacks.'
            : `Callbacks arrive at ${address}.`),
        { kind: 'recording', url, service, file, callbacks: address },
      )
      await io.stopped()
      const { written, lost } = await recording.close()
      const missing = lost > 0 ? `; ${lost} are missing` : ''
      out.say(`${written} exchanges are in ${file}${missing}`, { kind: 'recorded', file, written, lost })
      return lost > 0 ? exitCodes.no : exitCodes.done
    },
  )

/** @throws {Refusal} naming the flag or file that is wrong */
async function optionsOf(
  { err }: Process,
  { service, out, ca }: { service?: string | undefined; out: string; ca?: string | undefined },
) {
  if (service === undefined)
    throw new Refusal("pass the address of the service with '--service <address>'", exitCodes.usage)
  const authority =
    ca === undefined
      ? undefined
      : await readFile(ca, 'utf8').catch((error: Error) => {
          throw new Refusal(`${ca}: ${error.message}`, exitCodes.usage)
        })
  return { service, out, ca: authority, onProblem: (message: string) => err.write(`${message}\n`) }
}

/** Says why a recording cannot start. */
const refused = (path: string, port?: number) => (error: NodeJS.ErrnoException) => {
  const { code, message } = error
  if (code === 'EADDRINUSE')
    throw new Refusal(`port ${port} is in use; pass another with --port`, exitCodes.start)
  if (code === 'EEXIST')
    throw new Refusal(`${path} exists; pass another with --out, or delete it`, exitCodes.usage)
  throw error.syscall === 'open' ? new Refusal(`${path}: ${message}`, exitCodes.usage) : error
}

type Recorded = Parameters<NonNullable<Parameters<typeof record>[0]['onExchange']>>[0]

const WORDS = 'keep personal data'

async function verify(out: Output, path: string): Promise<number> {
  const { entries, notes } = await readRecording(path).catch(refuseRecording)
  const leaks = leaksIn(entries)
  for (const note of notes) out.say(`${path}: ${note}`, { kind: 'note', note })
  for (const { entry, kind, value } of leaks)
    out.say(`entry ${entry}: ${kind} ${value}`, { kind: 'leak', entry, what: kind, value })
  const counts = { entries: entries.length, leaks: leaks.length }
  out.say(`${counts.entries} entries, ${counts.leaks} sensitive values`, { kind: 'verified', ...counts })
  return leaks.length > 0 ? exitCodes.no : exitCodes.done
}

export const probeCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    recordingCommand(
      'probe',
      'Ask the real service only what is free and safe, and record its responses: reads, and requests that it must reject before money moves. ' +
        'Prints the requests, asks before it sends them, and stops at the first one that is accepted although it must be rejected. ' +
        'Exit code 0: all were sent; 1: one was accepted; 2: invalid arguments, or not confirmed; 4: the service does not respond.',
      'probe.har',
    )
      .addOption(userOption())
      .addOption(
        new Option('--country <code>', 'the country to discover').default('KE').argParser((text) => {
          if (/^[A-Z]{2}$/.test(text)) return text
          throw new InvalidArgumentError('Accepted: a country in two capital letters, such as KE.')
        }),
      )
      .addOption(
        new Option('--account <id>', 'a Team to read').argParser((text) => {
          if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
          throw new InvalidArgumentError('Accepted: the account_id of a Team, such as 63.')
        }),
      )
      .addOption(durationOr('--every', 'the time from one request to the next, at least 1s', '1s'))
      .addOption(yesOption()),
    async ({ out }, flags) => {
      const { user, every, account, country } = flags
      const options = await optionsOf(io, flags)
      const { service, out: file } = options
      if (!user)
        throw new Refusal("pass the API key of the service with '--user <name:password>'", exitCodes.usage)
      if (every < 1_000) throw new Refusal(`--every must be at least 1s, got ${every} ms`, exitCodes.usage)
      const requests = probeRequests({ country, account })
      const head = `${requests.length} requests to ${service}, one every ${every / 1_000} s:`
      out.say(head, { kind: 'probe', service })
      for (const { name, method, path } of requests)
        out.say(`  ${method.padEnd(4)} ${path}  ${name}`, { kind: 'planned', method, path, name })
      if (!flags.yes && !(await io.confirm?.(`Send them to ${service}?`))) {
        io.err.write('Nothing was sent: confirm at a terminal, or pass --yes.\n')
        return exitCodes.usage
      }
      const stop = new AbortController()
      void io.stopped().then(() => stop.abort())
      let written = 0
      let code: number = exitCodes.done
      await probe({
        ...options,
        user,
        country,
        account,
        every,
        signal: stop.signal,
        onExchange: () => (written += 1),
        onResponse: ({ name, method, path }, status) =>
          out.say(`${status} ${method} ${path}  ${name}`, { kind: 'probed', status, method, path, name }),
      }).catch((error: NodeJS.ErrnoException) => {
        if (error.syscall === 'open') refused(file)(error)
        if (stop.signal.aborted) return
        const isAccepted = error instanceof AcceptedError
        code = isAccepted ? exitCodes.no : exitCodes.unreachable
        io.err.write(`${isAccepted ? error.message : `${service} does not respond`}\n`)
      })
      const next = `compare them with payments-sandbox compare ${file}`
      out.say(`${written} exchanges are in ${file}; ${next}`, { kind: 'recorded', file, written })
      return code
    },
  )

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('Accepted: a whole number from 0 to 65535.')
}
