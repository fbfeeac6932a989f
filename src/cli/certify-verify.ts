import type { Certification } from '../certify/certification.ts'
import { oneLine } from '../certify/reports/words.ts'
import { faultOf, type ReadReport, readReport, UnreadableReport } from '../certify/verify.ts'
import { exitCodes } from './exit-codes.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'
import { keysFor, MOST_TEXT, textOf, told } from './report-files.ts'

export interface VerifyFlags {
  /** A file, or an address; of the sandbox that the report names when left out. */
  readonly publicKey?: string
  /** Whose report it has to be. */
  readonly subject?: string
  readonly json?: boolean
}

/** Where the key came from, and whether somebody said so. */
interface Key {
  readonly from: string
  readonly named: boolean
}

/** Says whose report it is, and whether its signature holds. @returns the exit code */
export async function verifyReport(io: Process, file: string, flags: VerifyFlags): Promise<number> {
  try {
    const report = await told(file, async () => readReport(await textOf(file, MOST_TEXT)))
    const { from: source, keys } = await keysFor(report, flags.publicKey)
    const key = { from: source, named: flags.publicKey !== undefined }
    const fault = faultOf(report, keys)
    const from = report.jws ? key.from : null
    const other = otherThan(flags.subject, report)
    io.out.write(
      flags.json ? jsonOf(report, { fault, other }, from) : wordsOf(io, report, { fault, other }, key),
    )
    return fault === undefined && other === undefined ? exitCodes.done : exitCodes.no
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error
    io.err.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

/** What is wrong with a report. */
interface Faults {
  /** Of its signature. */
  readonly fault: string | undefined
  /** It is somebody else's. */
  readonly other: string | undefined
}

const otherThan = (subject: string | undefined, { certification }: ReadReport): string | undefined =>
  subject === undefined || certification.subject === subject
    ? undefined
    : `It is a report of ${JSON.stringify(certification.subject)}, not of ${JSON.stringify(subject)}.`

function jsonOf({ certification, header }: ReadReport, { fault, other }: Faults, from: string | null) {
  const { subject, sandbox, ended_at, summary } = certification
  const { ready, text, score } = summary
  const { url, version, world } = sandbox
  const kid = header?.['kid']
  return `${JSON.stringify({
    kind: 'report',
    holds: fault === undefined,
    fault: fault ?? other ?? null,
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

function wordsOf(io: Process, { certification }: ReadReport, { fault, other }: Faults, key: Key) {
  const paint = painter(io.out.colours)
  if (fault !== undefined)
    return `${paint(['bold', 'red'], oneLine(fault))}\n\nIt says, which nothing proves:\n${saidBy(certification)}`
  const trust = key.named ? '' : OUT_OF_THE_REPORT
  const holds = paint(['bold', 'green'], `The signature holds, by the key of ${oneLine(key.from)}.`)
  const whose = other === undefined ? '' : `${paint(['bold', 'red'], oneLine(other))}\n`
  return `${holds}\n${whose}${trust}\nIt says:\n${saidBy(certification)}`
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
