import { Command, InvalidArgumentError, Option } from 'commander'
import { readFile } from 'node:fs/promises'
import { Refusal, failed } from './failures.ts'
import { durationOption, type End, jsonOption, readAddress, userOption, yesOption } from './options.ts'
import { exitCodes, type Output, outputTo } from './output.ts'
import type { Process } from './process.ts'
import { packageVersion } from '../files.ts'
import { createHarFile, RecordingError, readRecording } from '../fidelity/har.ts'
import { AcceptedError, probe, probeRequests } from '../fidelity/probe.ts'
import { CALLBACKS, startRecording } from '../fidelity/record.ts'
import { leaksIn, Redactor } from '../fidelity/redact.ts'
import { systemSecrets } from '../lib/random/random.ts'

interface RecordFlags {
  readonly service?: string
  readonly port: number
  readonly out: string
  readonly publicUrl?: string
  readonly callbacks?: string
  readonly ca?: string
  readonly redact: 'personal' | 'none'
  readonly verify?: string
  readonly json?: boolean
}

export const recordCommand = (io: Process, end: End) =>
  new Command('record')
    .description(
      'Record the traffic of your integration with the real service: point its base URL at this proxy. Requests, responses and ' +
        'callbacks pass unchanged. The recording (HAR 1.2) contains no credentials; personal data become pseudonyms of the same form.',
    )
    .addOption(new Option('--service <address>', 'the address of the service').argParser(readAddress))
    .addOption(new Option('--port <number>', 'the port of the proxy').default(8081).argParser(readPort))
    .option('--out <file>', 'the recording, which must not exist yet', 'session.har')
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
    .option('--ca <file>', "the certificate authority of the service, PEM; by default the system's")
    .addOption(
      new Option('--redact <what>', 'none keeps all data, and needs a confirmation')
        .choices(['personal', 'none'])
        .default('personal'),
    )
    .option(
      '--verify <file>',
      'list sensitive values that a recording still contains; exit code 1 if there are any',
    )
    .addOption(jsonOption())
    .action(async (flags: RecordFlags) => {
      const { json = false } = flags
      try {
        end(await (flags.verify === undefined ? record(io, flags) : verify(io, flags.verify, json)))
      } catch (error) {
        const told = error instanceof RecordingError ? new Refusal(error.message, exitCodes.usage) : error
        end(failed(io, told, json))
      }
    })

async function record(io: Process, flags: RecordFlags): Promise<number> {
  const { service, port, out: path, publicUrl, callbacks, redact, json = false } = flags
  if (service === undefined)
    throw new Refusal("pass the address of the service with '--service <address>'", exitCodes.usage)
  if (redact === 'none' && !(await confirmed(io))) return exitCodes.usage
  const out = outputTo(io.out, json)
  const ca = flags.ca === undefined ? undefined : await readFile(flags.ca, 'utf8').catch(unreadable(flags.ca))
  const file = await createdFile(io, path)
  const redactor = redact === 'none' ? undefined : new Redactor(systemSecrets())
  const proxy = await startRecording({
    service,
    port,
    publicUrl,
    callbacks,
    ca,
    onEntry(entry) {
      const clean = redactor ? redactor.entry(entry) : entry
      file.add(clean)
      const { request, response, time, _error, _callback } = clean
      const { pathname } = new URL(request.url)
      const what = _callback ? 'callback' : request.method
      const result = _error === undefined ? String(response.status) : `broke off: ${_error}`
      out.say(`${what} ${pathname} ${result} in ${Math.round(time)} ms`, {
        kind: 'exchange',
        callback: _callback !== undefined,
        method: request.method,
        status: response.status,
        error: _error ?? null,
        ms: time,
      })
    },
  }).catch(async (error: NodeJS.ErrnoException) => {
    await file.close()
    throw error.code === 'EADDRINUSE'
      ? new Refusal(`port ${port} is in use; pass another with --port`, exitCodes.start)
      : error
  })
  announce(out, proxy.url, flags)
  await io.stopped()
  await proxy.close()
  const { written, lost } = file.counts()
  await file.close()
  out.say(`${written} exchanges are in ${path}${lost > 0 ? `; ${lost} are missing` : ''}`, {
    kind: 'recorded',
    file: path,
    written,
    lost,
  })
  return lost > 0 ? exitCodes.no : exitCodes.done
}

const createdFile = (io: Process, path: string) =>
  createHarFile(path, packageVersion(), (message) => io.err.write(`${message}\n`)).catch(
    (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EEXIST' ? 'exists; pass another with --out, or delete it' : `: ${error.message}`
      throw new Refusal(`${path} ${why}`, exitCodes.usage)
    },
  )

function announce(out: Output, url: string, { service, out: file, publicUrl, callbacks }: RecordFlags): void {
  const callback = publicUrl !== undefined || callbacks !== undefined
  out.say(
    `recording ${service} at ${url} to ${file}\n` +
      `Set the base URL of your integration to ${url}. Ctrl-C ends the recording.` +
      (callback
        ? `\nCallbacks arrive at ${publicUrl ?? url}${CALLBACKS}.`
        : '\nCallbacks are not recorded: pass --public-url or --callbacks.'),
    { kind: 'recording', url, service, file, callbacks: callback ? `${publicUrl ?? url}${CALLBACKS}` : null },
  )
}

const WORDS = 'keep personal data'

async function confirmed(io: Process): Promise<boolean> {
  const question = 'The recording will contain credentials, phone numbers and names as they are.'
  if (await io.confirm?.(question, WORDS)) return true
  io.err.write(`Nothing is recorded: --redact none needs "${WORDS}", typed at a terminal.\n`)
  return false
}

const unreadable = (path: string) => (error: Error) => {
  throw new Refusal(`${path}: ${error.message}`, exitCodes.usage)
}

async function verify(io: Process, path: string, json: boolean): Promise<number> {
  const { entries, notes } = await readRecording(path)
  const out = outputTo(io.out, json)
  const leaks = leaksIn(entries)
  for (const note of notes) out.say(`${path}: ${note}`, { kind: 'note', note })
  for (const { entry, kind, value } of leaks)
    out.say(`entry ${entry}: ${kind} ${value}`, { kind: 'leak', entry, what: kind, value })
  out.say(`${entries.length} entries, ${leaks.length} sensitive values`, {
    kind: 'verified',
    entries: entries.length,
    leaks: leaks.length,
  })
  return leaks.length > 0 ? exitCodes.no : exitCodes.done
}

interface ProbeFlags {
  readonly service: string
  readonly user?: { readonly username: string; readonly password: string }
  readonly out: string
  readonly country: string
  readonly account?: number
  readonly every: number
  readonly ca?: string
  readonly yes?: boolean
  readonly json?: boolean
}

export const probeCommand = (io: Process, end: End) =>
  new Command('probe')
    .description(
      'Ask the real service only what is free and safe, and record its responses: reads, and requests that it must reject before money moves. ' +
        'Prints the requests, asks before it sends them, and stops at the first one that is accepted although it must be rejected. ' +
        'Exit code 0: all were sent; 1: one was accepted; 2: invalid arguments, or not confirmed; 4: the service does not respond.',
    )
    .addOption(
      new Option('--service <address>', 'the address of the service')
        .argParser(readAddress)
        .makeOptionMandatory(),
    )
    .addOption(userOption())
    .option('--out <file>', 'the recording, which must not exist yet', 'probe.har')
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
    .addOption(
      durationOption('--every', 'the time from one request to the next, at least 1s').default(1_000, '1s'),
    )
    .option('--ca <file>', "the certificate authority of the service, PEM; by default the system's")
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(async (flags: ProbeFlags) => {
      try {
        end(await probeService(io, flags))
      } catch (error) {
        end(failed(io, error, flags.json ?? false))
      }
    })

async function probeService(io: Process, flags: ProbeFlags): Promise<number> {
  const { service, user, out: path, json = false } = flags
  if (!user)
    throw new Refusal("pass the API key of the service with '--user <name:password>'", exitCodes.usage)
  if (flags.every < 1_000)
    throw new Refusal(`--every must be at least 1s, got ${flags.every} ms`, exitCodes.usage)
  const requests = probeRequests(flags)
  const out = outputTo(io.out, json)
  out.say(`${requests.length} requests to ${service}, one every ${flags.every / 1_000} s:`, {
    kind: 'probe',
    service,
  })
  for (const { name, method, path: to } of requests)
    out.say(`  ${method.padEnd(4)} ${to}  ${name}`, { kind: 'planned', method, path: to, name })
  if (!flags.yes && !(await io.confirm?.(`Send them to ${service}?`))) {
    io.err.write('Nothing was sent: confirm at a terminal, or pass --yes.\n')
    return exitCodes.usage
  }
  const ca = flags.ca === undefined ? undefined : await readFile(flags.ca, 'utf8').catch(unreadable(flags.ca))
  const file = await createdFile(io, path)
  const redactor = new Redactor(systemSecrets())
  const proxy = await startRecording({
    service,
    port: 0,
    ca,
    onEntry: (entry) => file.add(redactor.entry(entry)),
  })
  const stop = new AbortController()
  void io.stopped().then(() => stop.abort())
  let code: number = exitCodes.done
  try {
    await probe({
      url: proxy.url,
      user,
      requests,
      every: flags.every,
      signal: stop.signal,
      onResponse: ({ name, method, path: to }, status) =>
        out.say(`${status} ${method} ${to}  ${name}`, { kind: 'probed', status, method, path: to, name }),
    })
  } catch (error) {
    if (error instanceof AcceptedError) code = exitCodes.no
    else if (!stop.signal.aborted) code = exitCodes.unreachable
    const told = error instanceof AcceptedError ? error.message : `${service} does not respond`
    if (!stop.signal.aborted) io.err.write(`${told}\n`)
  } finally {
    await proxy.close()
    await file.close()
  }
  const { written } = file.counts()
  out.say(`${written} exchanges are in ${path}; compare them with payments-sandbox compare ${path}`, {
    kind: 'recorded',
    file: path,
    written,
  })
  return code
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('Accepted: a whole number from 0 to 65535.')
}
