import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  type Certification,
  type CheckResult,
  exitCodes as ends,
  type Verdict,
} from '../certify/certification.ts'
import { certifyProfile, certifyRecord, ProfileError, readProfile } from '../certify/certify.ts'
import { checkIds, groups } from '../certify/check-ids.ts'
import { heldBy, WorldLost } from '../certify/environment.ts'
import { profileOf as profileSeen, profileText, UNSEEN } from '../certify/init.ts'
import type { Progress } from '../certify/options.ts'
import type { Profile } from '../certify/profile.ts'
import { reports } from '../certify/reports/reports.ts'
import { countOf, mandatoryOf, oneLine, recordText, verdictWords, worstOf } from '../certify/reports/words.ts'
import { wantedReport } from './certify-reports.ts'
import type { Target, TargetOptions } from './options.ts'
import { reasonOf } from './failures.ts'
import { exitCodes, painter } from './output.ts'
import type { Process, Writer } from './process.ts'
import { connect } from '../client/connect.ts'
import { SandboxError } from '../client/transport.ts'
import { createSandbox } from '../index.ts'
import { shown } from '../lib/text/shown.ts'

/** The flags of `certify`. */
export interface CertifyFlags extends TargetOptions {
  readonly profile?: string
  readonly only?: readonly string[]
  readonly passive?: string | true
  readonly json?: boolean
  readonly report?: readonly string[]
  readonly wait?: number
}

const STOPPED = 'Stopped: what was not tried is inconclusive. The world is as it was before.'
const DEFAULT_PROFILE = 'certify.yaml'
const BEGIN = 'payments-sandbox certify init prints one to begin with'

/** Certifies by the flags, prints what came of it and writes the reports. @returns the exit code */
export async function certifyShop(io: Process, flags: CertifyFlags, target: () => Target): Promise<number> {
  let asked: Asked | undefined
  const ended = new AbortController()
  try {
    const wanted = (flags.report ?? []).map(wantedReport)
    const profile = flags.passive === undefined ? await profileOf(io, flags) : undefined
    asked = profile ? { url: profile.sandbox, user: profile.user.username } : asAsked(target())
    const certification = profile
      ? await actively(io, flags, profile, ended)
      : await passively(target(), flags.passive!)
    if (flags.json) io.out.write(`${JSON.stringify(certification)}\n`)
    else io.out.write(certificationText(certification, io.out.colours))
    for (const { name, file } of wanted) {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, await reports[name].write(certification))
    }
    const odd = ended.signal.aborted ? STOPPED : emptiness(certification)
    const { exit_code } = certification.summary
    if (odd === undefined) return exit_code
    io.err.write(`${odd}\n`)
    return exit_code === ends.failed ? exit_code : ends.inconclusive
  } catch (error) {
    if (ended.signal.aborted && error === ended.signal.reason) {
      io.err.write('Stopped before anything was tried.\n')
      return ends.inconclusive
    }
    return failure(io, error, asked, flags.passive === undefined)
  }
}

async function profileOf(io: Process, { profile: given, url, user }: CertifyFlags): Promise<Profile> {
  const file = given ?? DEFAULT_PROFILE
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? `there is no such file; ${BEGIN}` : error.message
    throw new ProfileError([`${file}: ${why}`], [], 0)
  })
  // A shell leaves an empty file behind if it does not find the command.
  if (text.trim() === '') throw new ProfileError([`${file}: the file is empty; ${BEGIN}`], [], 0)
  const read = await readProfile(file, text, io.env)
  return { ...read, ...(url !== undefined && { sandbox: url }), ...(user && { user }) }
}

/** @param ended is aborted by the signals that ask a process to stop */
async function actively(
  io: Process,
  { only, wait }: CertifyFlags,
  profile: Profile,
  ended: AbortController,
): Promise<Certification> {
  void io.stopped().then(() => ended.abort())
  const progress = progressOf(io.err)
  const say = (what: string) => io.err.write(`${what}\n`)
  try {
    const { tell } = progress
    return await certifyProfile(profile, { createSandbox, only, say, tell, signal: ended.signal, wait })
  } finally {
    progress.end()
  }
}

/** Whom, and as whom. */
interface Asked {
  readonly url: string | undefined
  readonly user: string
}

const asAsked = ({ url, username }: Target): Asked => ({ url, user: username })

function failure(io: Process, error: unknown, asked: Asked | undefined, startsOwn: boolean): number {
  if (error instanceof ProfileError) {
    io.err.write(`${error.message}\n`)
    return ends.usage
  }
  if (error instanceof WorldLost) {
    io.err.write(
      `Another took the world of "${asked?.user}" over, so that what was seen in it proves nothing. ${error.message}\n`,
    )
    return exitCodes.unreachable
  }
  const held = heldBy(error)
  if (held !== undefined) {
    io.err.write(
      `The world of "${asked?.user}" is used by ${held}. Wait for it (--wait 10m), or give this run a world of its own (user in the profile, or --user).\n`,
    )
    return exitCodes.unreachable
  }
  if (error instanceof SandboxError) {
    const stranger = `${asked?.url} does not know the user "${asked?.user}" with this password.`
    io.err.write(
      `${error.status === 401 ? stranger : `${error.message}${startsOwn ? adviceOn(error, asked) : ''}`}\n`,
    )
    return [401, 403].includes(error.status) ? ends.usage : exitCodes.unreachable
  }
  const { code, syscall, path, port } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') {
    io.err.write(
      `Port ${port} is taken, where certify starts a sandbox. If one runs there already, say so: --url http://127.0.0.1:${port}, or sandbox in the profile; else say another port there (port).\n`,
    )
    return exitCodes.unreachable
  }
  if (syscall === 'open') {
    io.err.write(`${path}: the report cannot be written (${code}).\n`)
    return ends.usage
  }
  if (error instanceof TypeError && asked?.url !== undefined) {
    const advice = startsOwn
      ? '; start a sandbox there, or leave it out of the profile, and certify starts one'
      : ''
    io.err.write(`${reasonOf(error, asked.url)}${advice}\n`)
    return exitCodes.unreachable
  }
  throw error
}

/** Returns advice on a rejected request; empty if the sandbox itself failed. */
function adviceOn({ status }: SandboxError, asked: Asked | undefined): string {
  if (status >= 500) return ''
  if (status === 403)
    return `\nA run steers its world, which "${asked?.user}" may not: give it the key of the world's owner (user in the profile, or --user).`
  return `\nIf something else acts in the world of "${asked?.user}" meanwhile, such as a suite of tests, give this one a world of its own (user in the profile, or --user).`
}

/** Prints a profile to begin with, whether a sandbox answers or not. @returns the exit code */
export async function printProfile({ out, err }: Process, target: Target, json = false): Promise<number> {
  try {
    const { url, ...credentials } = target
    const found = await profileSeen(connect(url, credentials), url)
    out.write(json ? `${JSON.stringify({ kind: 'profile', ...found })}\n` : profileText(found))
    return exitCodes.done
  } catch (error) {
    if (error instanceof SandboxError) err.write(`${error.message}\n`)
    else if (error instanceof TypeError) {
      err.write(`${reasonOf(error, target.url)}: what follows is a profile of no shop in particular\n`)
      out.write(json ? `${JSON.stringify({ kind: 'profile', ...UNSEEN })}\n` : profileText(UNSEEN))
    } else throw error
    return exitCodes.unreachable
  }
}

const baseOf = (username: string) => username.replace(/\+.*$/, '')

/**
 * The record of a world, judged.
 * @param named the world: another of the same key (`demo+ci`, or `+ci`), or the id of the key's own; that one when it is `true`
 * @throws ProfileError when the key leads to another world
 */
async function passively(target: Target, named: string | true): Promise<Certification> {
  const { url, password } = target
  const own = connect(url, { username: target.username, password })
  if (named === true || named === target.username) return certifyRecord(own)
  const username = named.startsWith('+') ? baseOf(target.username) + named : named
  if (username.includes('+') && baseOf(username) === baseOf(target.username))
    return certifyRecord(connect(url, { username, password }))
  const { id } = await own.show()
  if (id === named) return certifyRecord(own)
  // A key that was made in a world leads to no other.
  const base = baseOf(target.username)
  const sibling = base === baseOf(id) ? `name one of the same key, such as ${base}+ci, or ` : ''
  const advice = `${sibling}give the key of the world with --user`
  throw new ProfileError([`--passive ${shown(named)}: the key leads to the world ${id}; ${advice}`], [], 0)
}

/** Returns a warning about a record without requests of a shop. */
function emptiness({ record, sandbox: { world } }: Certification): string | undefined {
  if (!record || record.evaluated.requests > 0) return undefined
  const others = record.excluded.requests > 0 ? ', but for what was sent by hand' : ''
  return `The world ${world} has no request of a shop on record${others}: is it the one that the tests paid in?`
}

const SIGNS: {
  readonly [V in Verdict]: readonly [sign: string, style: Parameters<ReturnType<typeof painter>>[0]]
} = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  inconclusive: ['?', 'yellow'],
  not_seen: ['·', 'dim'],
  not_applicable: [' ', 'dim'],
  expected_fail: ['≈', 'yellow'],
}

/** Checks of which there is more to say than their title. */
const TOLD: readonly Verdict[] = ['fail', 'inconclusive', 'expected_fail']
const LONGEST = 300
/** The observation of a check that was stopped. */
const ENDED = /^The run was stopped/
/** The observation of a shop that does not run any more. */
const UNHEARD = /nothing listens there/

/** A line a check, what was seen of those that did not pass, and what it comes to. */
export function certificationText(certification: Certification, colours: boolean): string {
  const paint = painter(colours)
  const { subject, sandbox, checks, summary, probe, mode } = certification
  const lines = [
    paint('bold', oneLine(subject)) +
      `, ${mode === 'passive' ? 'by the record of' : 'tried by'} ${sandbox.url}`,
  ]
  if (probe && !probe.usable)
    lines.push(paint('yellow', `The probe cannot be believed. ${cut(probe.because)}`))
  // Without a profile these checks cannot run; one line for all of them is enough.
  const isForAProfile = ({ mode: how, verdict }: CheckResult) =>
    mode === 'passive' && how === 'active' && verdict === 'not_seen'
  for (const [group, name] of Object.entries(groups)) {
    const of = checks.filter((each) => each.group === group && !isAway(each) && !isForAProfile(each))
    const told = (each: CheckResult) => checkLines(each, paint, mode === 'active')
    if (of.length > 0) lines.push('', paint('bold', name), ...of.flatMap(told))
  }
  const profiled = checks.filter(isForAProfile).length
  if (profiled > 0)
    lines.push('', paint('dim', `${profiled} have to be made to happen: run certify with a profile.`))
  const away = checks.filter(isAway).length
  if (away > 0)
    lines.push('', paint('dim', `${away} are not applicable: the profile does not have their feature.`))
  const style = summary.ready ? 'green' : summary.exit_code === 1 ? 'red' : 'yellow'
  lines.push('', paint(['bold', style], summary.text), countsText(certification))
  const rest = checkIds.length - checks.length
  if (rest > 0) lines.push(`Only ${checks.length} of ${checkIds.length} checks were selected.`)
  const record = recordText(certification)
  if (record !== undefined) lines.push(record)
  const unheard = checks.filter(
    ({ verdict, observed }) => verdict === 'inconclusive' && UNHEARD.test(observed),
  )
  if (unheard.length > 1)
    lines.push(`In ${unheard.length} checks nothing listened where the shop is: has it ended on the way?`)
  const worst = worstOf(certification)
  if (probe && !probe.usable) lines.push('Begin with the trigger and the probe of the profile.')
  else if (worst && !ENDED.test(worst.observed))
    lines.push(`Begin with ${worst.id}: payments-sandbox certify explain ${worst.id}`)
  return `${lines.join('\n')}\n`
}

const isAway = ({ verdict }: CheckResult) => verdict === 'not_applicable'

function checkLines(
  { id, title, verdict, observed, level, fix, expectation }: CheckResult,
  paint: ReturnType<typeof painter>,
  tellsUnseen: boolean,
) {
  const [sign, style] = SIGNS[verdict]
  const optional = level === 'recommended' ? paint('dim', ' (recommended)') : ''
  const line = `  ${paint(style, sign)} ${id.padEnd(6)} ${verdict === 'not_seen' ? paint('dim', title) : title}${optional}`
  if (verdict === 'not_seen' && tellsUnseen) return [line, paint('dim', `           ${cut(observed)}`)]
  if (!TOLD.includes(verdict)) return [line]
  const said = [line, `           ${cut(observed)}`]
  return verdict === 'fail' && !expectation ? [...said, paint('dim', `           ${fix}`)] : said
}

const cut = (text: string) => {
  const one = oneLine(text)
  return one.length > LONGEST ? `${one.slice(0, LONGEST)}…` : one
}

function countsText(certification: Certification): string {
  const counts = (Object.keys(verdictWords) as Verdict[])
    .map((verdict) => [verdictWords[verdict].toLowerCase(), countOf(certification, verdict)] as const)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`)
  const { passed, of } = mandatoryOf(certification)
  const seconds = (certification.duration_ms / 1000).toFixed(1)
  return `${passed} of ${of} mandatory checks passed. Of all: ${counts.join(', ')}; ${seconds} s.`
}

/** Tells a person where a run is, in one line that is written over. */
function progressOf(err: Writer): {
  readonly tell: (progress: Progress) => void
  readonly end: () => void
} {
  if (!err.terminal) return { tell: () => {}, end: () => {} }
  const clear = '\r\u001b[K'
  const running = new Set<string>()
  return {
    tell({ id, verdict, done, of }) {
      if (verdict === undefined) running.add(id)
      else running.delete(id)
      err.write(`${clear}${done} of ${of}  ${[...running].slice(0, 6).join(' ')}`)
    },
    end: () => err.write(clear),
  }
}
