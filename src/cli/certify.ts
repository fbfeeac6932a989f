import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Certification, exitCodes as ends, type Standing } from '../certify/certification.ts'
import { certifyProfile, certifyRecord, ProfileError, readProfile } from '../certify/certify.ts'
import { heldBy, WorldLost } from '../certify/environment.ts'
import { addressIn } from './address.ts'
import { explainCheck } from './certify-explain.ts'
import { printProfile } from './certify-init.ts'
import type { Progress } from '../certify/profile.ts'
import type { Profile } from '../certify/read-profile.ts'
import { bundleOf } from './certify-bundle.ts'
import { reports } from '../certify/reports/reports.ts'
import { exitCodeOf } from '../certify/results.ts'
import { planOf } from '../certify/plans.ts'
import { readReport } from '../certify/verify.ts'
import { pause } from '../lib/clock/clock.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { certificationText } from './certify-text.ts'
import { bundleOption, listed, reportCommands, reportOption, requestedReport } from './certify-reports.ts'
import {
  durationOption,
  type End,
  plainCommand,
  type Target,
  targetOf,
  urlOption,
  userOption,
} from './options.ts'
import { reasonOf } from './failures.ts'
import { exitCodes } from './output.ts'
import type { Process, Writer } from './process.ts'
import { connect } from '../client/connect.ts'
import { SandboxError } from '../client/transport.ts'
import type { WorldClient } from '../client/world-client.ts'
import { createSandbox } from '../index.ts'
import { shown } from '../lib/text/shown.ts'

/** The standings that a pipeline may require, as words of the command line. */
const required: Readonly<Record<string, Standing>> = {
  ready: 'ready',
  waivers: 'ready_with_waivers',
  'so-far': 'so_far',
}

const requireOption = (fallback: string) =>
  new Option(
    '--require <standing>',
    `exit code 0 only for: ready, waivers (ready, or ready with waivers) or so-far (no mandatory check failed); default: ${fallback}`,
  ).argParser((text: string): Standing => {
    const standing = required[text]
    if (standing) return standing
    throw new InvalidArgumentError(`It is ${Object.keys(required).join(', ')}.`)
  })

/** The command and its flags. */
const declared = () =>
  new Command('certify')
    .description(
      'Check a shop as a client and as a receiver, and print a verdict for each check. The profile contains its callback address, ' +
        'how to start a payment and how to read the state of an order. Exit code 0: ready; 1: a mandatory check fails; 2: invalid ' +
        'profile; 3: a mandatory check is inconclusive or was not seen; 4: no sandbox answers.',
    )
    .addOption(new Option('--profile <file>', 'the profile of the shop (default: certify.yaml)'))
    .addOption(
      new Option('--only <checks>', 'checks or groups, such as RCV or RCV-11,CLI-2').argParser(listed),
    )
    .addOption(
      new Option('--passive [world]', "judge only a world's request log, without a profile").conflicts([
        'profile',
        'only',
      ]),
    )
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(
      durationOption('--wait', 'how long to wait for a world in use by another run, such as 10m').conflicts(
        'passive',
      ),
    )
    .addOption(
      new Option(
        '--plan <name>',
        'the plan: one of the sandbox with --witnessed, otherwise a shipped one or a file; with verify, the required plan',
      ).conflicts('passive'),
    )
    .addOption(
      new Option(
        '--witnessed [file]',
        'let the sandbox run the checks, and write its signed report (default: certification.signed.json)',
      ).conflicts(['passive', 'wait']),
    )
    .addOption(new Option('--register', 'publish the report of --witnessed in the register of the sandbox'))
    .addOption(requireOption('waivers, or so-far with --only and --passive; verify accepts any'))
    .option('--json', 'print the certification as JSON')
    .addOption(reportOption('also write a report'))
    .addOption(bundleOption())

type CertifyFlags = ReturnType<ReturnType<typeof declared>['opts']>

export function certifyCommand(io: Process, end: End) {
  const plain = plainCommand(io, end)
  const certify = declared()
  plain(certify, (_, options) => certifyShop(io, options, () => targetOf(io, options)))
  plain(
    certify
      .command('init')
      .description("Print a draft profile, based on a world's request log.")
      .addOption(urlOption())
      .addOption(userOption()),
    ({ json }, options) => printProfile(io, targetOf(io, options), json),
  )
  plain(
    certify
      .command('explain')
      .description('Explain a check: how it works, why it matters and how to fix a failure.')
      .argument('[check]', 'such as RCV-11, or a group such as RCV (default: list all)'),
    async ({ json }, id) => explainCheck(io, id, json),
  )
  reportCommands(certify, plain)
  return certify
}

const STOPPED = 'Stopped: the remaining checks are inconclusive. The world is restored.'
const DEFAULT_PROFILE = 'certify.yaml'
const HINT = 'payments-sandbox certify init prints a draft'

/** Certifies, prints the result and writes the reports. @returns The exit code. */
async function certifyShop(io: Process, flags: CertifyFlags, target: () => Target): Promise<number> {
  let asked: Access | undefined
  const ended = new AbortController()
  try {
    const wanted = (flags.report ?? []).map(requestedReport)
    const profile = flags.passive === undefined ? await profileOf(io, flags) : undefined
    asked = profile ? { url: profile.sandbox, user: profile.user.username } : accessOf(target())
    const { certification, publish } = profile
      ? await (flags.witnessed === undefined ? certifyActively : certifyWitnessed)(io, flags, profile, ended)
      : { certification: await certifyPassively(target(), flags.passive!) }
    if (flags.json) io.out.write(`${JSON.stringify(certification)}\n`)
    else io.out.write(certificationText(certification, io.out.colours))
    for (const { name, file } of wanted) {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, await reports[name].write(certification))
    }
    if (flags.bundle !== undefined) {
      const text = profile && (await readFile(flags.profile ?? DEFAULT_PROFILE, 'utf8'))
      await mkdir(dirname(flags.bundle), { recursive: true })
      await writeFile(flags.bundle, await bundleOf(certification, { profile: text }))
    }
    const isPublished = (await publish?.()) ?? true
    const warning = ended.signal.aborted ? STOPPED : emptyLogWarning(certification)
    const partly = flags.passive !== undefined || flags.only !== undefined
    const exitCode = exitCodeOf(
      certification.summary.standing,
      flags.require ?? (partly ? 'so_far' : 'ready_with_waivers'),
    )
    if (!isPublished && exitCode === ends.ready) return ends.failed
    if (warning === undefined) return exitCode
    io.err.write(`${warning}\n`)
    return exitCode === ends.failed ? exitCode : ends.inconclusive
  } catch (error) {
    if (ended.signal.aborted && error === ended.signal.reason) {
      io.err.write('Stopped before the first check.\n')
      return ends.inconclusive
    }
    return failure(io, error, asked, flags.passive === undefined)
  }
}

async function profileOf(io: Process, { profile: given, url, user }: CertifyFlags): Promise<Profile> {
  const file = given ?? DEFAULT_PROFILE
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? `there is no such file; ${HINT}` : error.message
    throw new ProfileError([`${file}: ${why}`])
  })
  // A shell leaves an empty file behind if it does not find the command.
  if (text.trim() === '') throw new ProfileError([`${file}: the file is empty; ${HINT}`])
  const read = await readProfile(file, text, io.env)
  const sandbox = url ?? read.sandbox ?? addressIn(io.env)
  return { ...read, ...(sandbox !== undefined && { sandbox }), ...(user && { user }) }
}

interface Certified {
  readonly certification: Certification
  /** Publishes the report after the verdicts are printed. Resolves to whether the register accepts it. */
  readonly publish?: (() => Promise<boolean>) | undefined
}

async function certifyActively(
  io: Process,
  { only, wait, plan }: CertifyFlags,
  profile: Profile,
  ended: AbortController,
): Promise<Certified> {
  void io.stopped().then(() => ended.abort())
  const progress = progressOf(io.err)
  const say = (what: string) => io.err.write(`${what}\n`)
  try {
    const { tell } = progress
    const planned = plan === undefined ? undefined : await planOf(plan)
    const run = { createSandbox, only, plan: planned, say, tell, signal: ended.signal, wait }
    return { certification: await certifyProfile(profile, run) }
  } finally {
    progress.end()
  }
}

const SIGNED_FILE = 'certification.signed.json'
/** Milliseconds between two looks at a run. */
const LOOK = 1_000

/** Lets the sandbox run the checks, follows the run, and writes the signed report. */
async function certifyWitnessed(
  io: Process,
  { only, plan, witnessed, register }: CertifyFlags,
  profile: Profile,
  ended: AbortController,
): Promise<Certified> {
  if (profile.sandbox === undefined)
    throw new ProfileError(['--witnessed needs a sandbox: set sandbox in the profile, or pass --url'])
  const { certifications } = connect(profile.sandbox, profile.user)
  const variables = Object.fromEntries(
    Object.entries(profile.variables).map(([name, value]) => [name.replace(/^env\./, ''), value]),
  )
  const begun = await certifications.start({
    profile: profile.file as never,
    variables,
    ...(plan !== undefined && { plan }),
    ...(only && { only: [...only] }),
  })
  void io.stopped().then(() => ended.abort())
  const progress = progressOf(io.err)
  let told = 0
  try {
    for (let run = begun; ; run = await certifications.run(begun.id)) {
      for (const note of run.notes.slice(told)) io.err.write(`${note}\n`)
      told = run.notes.length
      progress.show(run.done, run.of, run.running, run.left_ms ?? 0)
      if (ended.signal.aborted && run.state === 'running') {
        await certifications.stop(begun.id)
        throw ended.signal.reason
      }
      if (run.state === 'running') await pause(LOOK, ended.signal).catch(() => {})
      else if (run.report === null) throw new TypeError(run.text ?? 'The run was stopped.')
      else {
        const { report: id } = run
        const report = await certifications.get(id)
        const file = typeof witnessed === 'string' ? witnessed : SIGNED_FILE
        await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
        const { certification } = readReport(JSON.stringify(report))
        return {
          certification,
          publish: register ? () => published(io, certifications.register(id)) : undefined,
        }
      }
    }
  } finally {
    progress.end()
  }
}

/** Resolves to whether the register accepts the report, and prints the address or the reason. */
async function published(
  { err }: Process,
  registration: ReturnType<WorldClient['certifications']['register']>,
): Promise<boolean> {
  try {
    const { page, badge } = await registration
    err.write(`Published at ${page}, with the badge ${badge}\n`)
    return true
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    err.write(`Not published: ${error.body.error_message ?? error.message}\n`)
    return false
  }
}

/** The sandbox and the user, for messages. */
interface Access {
  readonly url: string | undefined
  readonly user: string
}

const accessOf = ({ url, username }: Target): Access => ({ url, user: username })

function failure(io: Process, error: unknown, asked: Access | undefined, startsOwn: boolean): number {
  if (error instanceof ProfileError) {
    io.err.write(`${error.message}\n`)
    return ends.usage
  }
  if (error instanceof WorldLost) {
    io.err.write(
      `Another process took over the world of "${asked?.user}", so the results are invalid. ${error.message}\n`,
    )
    return exitCodes.unreachable
  }
  const held = heldBy(error)
  if (held !== undefined) {
    io.err.write(
      `The world of "${asked?.user}" is held by ${held}. Wait for it (--wait 10m), or use another world (user in the profile, or --user).\n`,
    )
    return exitCodes.unreachable
  }
  if (error instanceof SandboxError) {
    const stranger = `${asked?.url} rejects the user "${asked?.user}" with this password.`
    io.err.write(
      `${error.status === 401 ? stranger : `${error.message}${startsOwn ? adviceOn(error, asked) : ''}`}\n`,
    )
    return [401, 403].includes(error.status) ? ends.usage : exitCodes.unreachable
  }
  const { code, syscall, path, port } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') {
    io.err.write(
      `Port ${port} is in use, so certify cannot start a sandbox. To use a running sandbox, set --url http://127.0.0.1:${port} or sandbox in the profile; otherwise set another port in the profile.\n`,
    )
    return exitCodes.unreachable
  }
  if (syscall === 'open') {
    io.err.write(`${path}: the report cannot be written (${code}).\n`)
    return ends.usage
  }
  if (error instanceof TypeError && asked?.url !== undefined) {
    const advice = startsOwn
      ? '; start a sandbox there, or remove the address, so that certify starts one'
      : ''
    io.err.write(`${reasonOf(error, asked.url)}${advice}\n`)
    return exitCodes.unreachable
  }
  throw error
}

/** Returns advice on a rejected request; empty if the sandbox itself failed. */
function adviceOn({ status }: SandboxError, asked: Access | undefined): string {
  if (status >= 500) return ''
  if (status === 403)
    return `\nA run controls its world, which "${asked?.user}" may not: use the key of the world's owner (user in the profile, or --user).`
  return `\nIf other programs, such as a test suite, use the world of "${asked?.user}", run certify in another one (user in the profile, or --user).`
}

const baseOf = (username: string) => username.replace(/\+.*$/, '')

/**
 * Judges the request log of a world.
 * @param named - Another world of the same key (`demo+ci` or `+ci`), the id of the key's world, or `true` for that one.
 * @throws {ProfileError} If the key does not belong to the world.
 */
async function certifyPassively(target: Target, named: string | true): Promise<Certification> {
  const { url, password } = target
  const own = connect(url, { username: target.username, password })
  if (named === true || named === target.username) return certifyRecord(own)
  const username = named.startsWith('+') ? baseOf(target.username) + named : named
  if (username.includes('+') && baseOf(username) === baseOf(target.username))
    return certifyRecord(connect(url, { username, password }))
  const { id } = await own.show()
  if (id === named) return certifyRecord(own)
  // A key created in a world opens no other world.
  const base = baseOf(target.username)
  const sibling = base === baseOf(id) ? `name a world of the same key, such as ${base}+ci, or ` : ''
  const advice = `${sibling}pass the key of the world with --user`
  throw new ProfileError([`--passive ${shown(named)}: the key belongs to the world ${id}; ${advice}`])
}

/** Returns a warning about a record without requests of a shop. */
function emptyLogWarning({ record, sandbox: { world } }: Certification): string | undefined {
  if (!record || record.evaluated.requests > 0) return undefined
  const others = record.excluded.requests > 0 ? ' except requests by hand' : ''
  return `The request log of the world ${world} contains no request of a shop${others}: did the tests use another world?`
}

/** Prints the progress on one line that is overwritten. */
function progressOf(err: Writer) {
  const clear = '\r\u001b[K'
  const running = new Set<string>()
  const show = (done: number, of: number, ids: readonly string[], left: number) => {
    if (!err.terminal) return
    const rest = left >= 1_000 ? `, about ${formatDuration(Math.round(left / 1_000) * 1_000)} left` : ''
    err.write(`${clear}${done} of ${of}${rest}  ${ids.slice(0, 6).join(' ')}`)
  }
  return {
    tell({ id, verdict, done, of, left_ms }: Progress) {
      if (verdict === undefined) running.add(id)
      else running.delete(id)
      show(done, of, [...running], left_ms)
    },
    show,
    end: () => void (err.terminal && err.write(clear)),
  }
}
