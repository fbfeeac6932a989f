import { open } from 'node:fs/promises'
import type { Certification } from '../certify/certification.ts'
import { oneLine } from '../certify/reports/words.ts'
import {
  faultOf,
  MOST_TEXT,
  type ReadReport,
  readKeys,
  readReport,
  UnreadableReport,
} from '../certify/verify.ts'
import { isUrl } from '../is-url.ts'
import { KEY_SET_PATH } from '../signatures/report-key.ts'
import { exitCodes } from './exit-codes.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'
import { reasonOf } from './unreachable.ts'

export interface VerifyFlags {
  /** A file, or an address; of the sandbox that the report names when left out. */
  readonly publicKey?: string
  readonly json?: boolean
}

/** Where the key came from, and whether somebody said so. */
interface Key {
  readonly from: string
  readonly named: boolean
}

const WITHIN = 10_000

/** Says whose report it is, and whether its signature holds. @returns the exit code */
export async function verifyReport(io: Process, file: string, flags: VerifyFlags): Promise<number> {
  try {
    const report = await told(file, async () => readReport(await textOf(file)))
    const key = { from: flags.publicKey ?? keySetOf(report), named: flags.publicKey !== undefined }
    const keys = report.jws ? await told(key.from, async () => readKeys(await keyText(key.from))) : []
    const fault = faultOf(report, keys)
    const from = report.jws ? key.from : null
    io.out.write(flags.json ? jsonOf(report, fault, from) : wordsOf(io, report, fault, key))
    return fault === undefined ? exitCodes.done : exitCodes.no
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error
    io.err.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

/** Names what could not be read in front of why. */
async function told<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof UnreadableReport) throw new UnreadableReport(`${oneLine(what)}: ${error.message}`)
    const { code, message } = error as NodeJS.ErrnoException
    throw new UnreadableReport(
      code === 'ENOENT' ? `${what}: there is no such file` : `${oneLine(what)}: ${message}`,
    )
  }
}

/** Where the sandbox that the report names publishes its key. */
function keySetOf({ jws, certification }: ReadReport): string {
  const { url } = certification.sandbox
  if (!jws || isWeb(url)) return url
  throw new UnreadableReport(
    'the report does not say where its sandbox is; say where the key is with --public-key, a file or an address',
  )
}

const isWeb = (text: string) => /^https?:\/\//i.test(text) && isUrl(text)

const keyText = (from: string) => (isWeb(from) ? fetched(keyAddress(from)) : textOf(from))

/** An address without a path is that of a sandbox. */
function keyAddress(from: string): string {
  return /\.json$|jwks/.test(new URL(from).pathname) ? from : from.replace(/\/+$/, '') + KEY_SET_PATH
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(WITHIN), redirect: 'error' }).catch(
    (error: unknown) => {
      throw new UnreadableReport(reasonOf(error, url))
    },
  )
  if (!response.ok) throw new UnreadableReport(`it answers ${response.status}, and has no key set`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MOST_TEXT) throw tooLarge()
  }
  return text
}

/** A file of which no more is read than is needed to see that it is too large. */
async function textOf(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const buffer = Buffer.alloc(MOST_TEXT + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
      if (bytesRead === 0) return buffer.toString('utf8', 0, length)
      length += bytesRead
      if (length > MOST_TEXT) throw tooLarge()
    }
  } finally {
    await handle.close()
  }
}

const tooLarge = () => new UnreadableReport('it is larger than 1 MiB, and so no report')

function jsonOf({ certification, header }: ReadReport, fault: string | undefined, from: string | null) {
  const { subject, sandbox, ended_at, summary } = certification
  const { ready, text, score } = summary
  const { url, version, world } = sandbox
  const kid = header?.['kid']
  return `${JSON.stringify({
    kind: 'report',
    holds: fault === undefined,
    fault: fault ?? null,
    key: from,
    key_id: typeof kid === 'string' ? kid : null,
    subject,
    sandbox: { url, version, world },
    issued_at: ended_at,
    ready,
    text,
    score,
  })}\n`
}

function wordsOf(io: Process, { certification }: ReadReport, fault: string | undefined, key: Key) {
  const paint = painter(io.out.colours)
  if (fault !== undefined)
    return `${paint(['bold', 'red'], oneLine(fault))}\n\nIt says, which nothing proves:\n${saidBy(certification)}`
  const trust = key.named ? '' : OUT_OF_THE_REPORT
  const holds = paint(['bold', 'green'], `The signature holds, by the key of ${oneLine(key.from)}.`)
  return `${holds}\n${trust}\nIt says:\n${saidBy(certification)}`
}

const OUT_OF_THE_REPORT =
  'That address is out of the report: make sure that it is the sandbox you mean, or say where the key is with --public-key.\n'

function saidBy({ subject, sandbox, ended_at, summary, checks }: Certification): string {
  const passed = checks.filter(({ verdict }) => verdict === 'pass').length
  const lines = [
    ['Shop', subject],
    ['Sandbox', sandbox.url + (sandbox.world ? `, world ${sandbox.world}` : '')],
    ['Made', ended_at],
    ['Verdict', summary.text],
    ['Checks', `${passed} of ${checks.length} passed`],
  ] as const
  return lines.map(([name, text]) => `  ${name.padEnd(8)} ${oneLine(text).slice(0, 300)}\n`).join('')
}
