import { readFile, writeFile } from 'node:fs/promises'
import { connect } from '../client/connect.ts'
import { SandboxError } from '../client/transport.ts'
import { type Certification, exitCodes as ends } from '../certify/certification.ts'
import { certifyProfile, certifyRecord, ProfileError, readProfile } from '../certify/certify.ts'
import { isReportName, type ReportName, reports } from '../certify/reports/reports.ts'
import { suggestion } from '../suggest.ts'
import type { CertifyFlags } from './certify-commands.ts'
import { certificationText, progressOf } from './certify-text.ts'
import type { Target } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { reasonOf } from './unreachable.ts'

const DEFAULT_PROFILE = 'certify.yaml'

/** Certifies by the flags, prints what came of it and writes the reports. @returns the exit code */
export async function certifyShop(io: Process, flags: CertifyFlags, target: () => Target): Promise<number> {
  try {
    const wanted = (flags.report ?? []).map(readReport)
    const certification =
      flags.passive === undefined ? await actively(io, flags) : await passively(target(), flags.passive)
    if (flags.json) io.out.write(`${JSON.stringify(certification)}\n`)
    else io.out.write(certificationText(certification, io.out.colours))
    for (const { name, file } of wanted) await writeFile(file, await reports[name].write(certification))
    return certification.summary.exit_code
  } catch (error) {
    return failure(io, error, flags, target)
  }
}

async function actively(
  io: Process,
  { profile: given, only, url, user }: CertifyFlags,
): Promise<Certification> {
  const file = given ?? DEFAULT_PROFILE
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'ENOENT'
        ? 'there is no such file; payments-sandbox certify init prints one to begin with'
        : error.message
    throw new ProfileError([`${file}: ${why}`], [], 0)
  })
  const read = await readProfile(file, text, io.env)
  const profile = { ...read, ...(url !== undefined && { sandbox: url }), ...(user && { user }) }
  const ended = new AbortController()
  void io.stopped().then(() => ended.abort())
  const progress = progressOf(io.err)
  const say = (what: string) => io.err.write(`${what}\n`)
  try {
    return await certifyProfile(profile, { only, say, tell: progress.tell, signal: ended.signal })
  } finally {
    progress.end()
  }
}

/** @param world of the same password; that of the user when it is not said which */
function passively(target: Target, world: string | true): Promise<Certification> {
  const suffix = world === true || !world.includes('+') ? undefined : world.slice(world.indexOf('+'))
  const username = suffix === undefined ? target.username : target.username.replace(/\+.*$/, '') + suffix
  return certifyRecord(connect(target.url, { username, password: target.password }))
}

/** @throws ProfileError for a form that there is not */
function readReport(text: string): { readonly name: ReportName; readonly file: string } {
  const [name = '', ...rest] = text.split('=')
  if (!isReportName(name))
    throw new ProfileError(
      [`--report ${text}: "${name}" is not a form${suggestion(name, Object.keys(reports))}`],
      [],
      0,
    )
  return { name, file: rest.join('=') || reports[name].file }
}

function failure(io: Process, error: unknown, { url }: CertifyFlags, target: () => Target): number {
  if (error instanceof ProfileError) {
    io.err.write(`${error.message}\n`)
    return ends.usage
  }
  if (error instanceof SandboxError) {
    io.err.write(`${error.message}\n`)
    return error.status === 401 ? ends.usage : exitCodes.unreachable
  }
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    io.err.write(
      'Another program has the port of the profile: say another one (port), or where the sandbox is (sandbox).\n',
    )
    return exitCodes.unreachable
  }
  if (syscall === 'open') {
    io.err.write(`${path}: the report cannot be written (${code}).\n`)
    return ends.usage
  }
  if (error instanceof TypeError) {
    io.err.write(`${reasonOf(error, url ?? target().url)}\n`)
    return exitCodes.unreachable
  }
  throw error
}
