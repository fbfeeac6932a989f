import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SandboxError } from '../client/transport.ts'
import { type Certification, exitCodes as ends } from '../certify/certification.ts'
import { certifyProfile, ProfileError, readProfile } from '../certify/certify.ts'
import { heldBy, WorldLost } from '../certify/environment.ts'
import type { Profile } from '../certify/profile.ts'
import { reports } from '../certify/reports/reports.ts'
import { createSandbox } from '../index.ts'
import type { CertifyFlags } from './certify-commands.ts'
import { emptiness, passively } from './certify-passive.ts'
import { wantedReport } from './certify-report.ts'
import { certificationText, progressOf } from './certify-text.ts'
import type { Target } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { reasonOf } from './unreachable.ts'

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
  // What a shell leaves behind when init is not found.
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

/** What whoever certifies can do about a refusal of the sandbox; empty where it is the sandbox's own fault. */
function adviceOn({ status }: SandboxError, asked: Asked | undefined): string {
  if (status >= 500) return ''
  if (status === 403)
    return `\nA run steers its world, which "${asked?.user}" may not: give it the key of the world's owner (user in the profile, or --user).`
  return `\nIf something else acts in the world of "${asked?.user}" meanwhile, such as a suite of tests, give this one a world of its own (user in the profile, or --user).`
}
