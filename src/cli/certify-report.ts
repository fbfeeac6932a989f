import { writeFile } from 'node:fs/promises'
import { systemWall } from '../lib/clock/clock.ts'
import { ProfileError } from '../certify/read-profile.ts'
import { isReportName, type ReportName, reports } from '../certify/reports/reports.ts'
import { oneLine } from '../certify/reports/words.ts'
import { CheckedSignature, readAnyReport, UnreadableReport, wholeCertification } from '../certify/verify.ts'
import { suggestion } from '../lib/text/suggest.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { keysFor, MOST_TEXT, textOf, told } from './report-files.ts'

export interface ReportFlags {
  readonly report?: readonly string[]
  /** A file, or an address; of the sandbox that the report names when left out. */
  readonly publicKey?: string
  readonly json?: boolean
}

/** A form, and the file that it is written to. */
export interface Wanted {
  readonly name: ReportName
  readonly file: string
}

/** @throws ProfileError for a form that there is not */
export function wantedReport(text: string): Wanted {
  const [name = '', ...rest] = text.split('=')
  if (!isReportName(name))
    throw new ProfileError(
      [`--report ${text}: "${name}" is not a form${suggestion(name, Object.keys(reports))}`],
      [],
      0,
    )
  return { name, file: rest.join('=') || reports[name].file }
}

/** Tells a certification that is kept in a file in other forms. What is signed is told when the signature holds alone. @returns the exit code */
export async function reportAgain(io: Process, file: string, flags: ReportFlags): Promise<number> {
  try {
    const wanted = (flags.report ?? ['html']).map(wantedReport)
    const read = await told(file, async () => {
      const report = readAnyReport(await textOf(file, 8 * MOST_TEXT))
      return { ...report, certification: wholeCertification(report.certification) }
    })
    const { certification } = read
    const checked = read.jws ? await checkedBy(read, flags.publicKey) : undefined
    if (typeof checked === 'string') {
      io.err.write(`${oneLine(checked)}\nNothing was written.\n`)
      return exitCodes.no
    }
    for (const { name, file: target } of wanted) {
      const text = await reports[name].write(certification, checked)
      await told(target, () => writeFile(target, text))
      io.out.write(
        flags.json
          ? `${JSON.stringify({ kind: 'report_written', form: name, file: target, key_id: checked?.key_id ?? null })}\n`
          : `${target}: ${checked ? `signed, by the key ${checked.key_id} of ${oneLine(checked.from)}` : 'unsigned'}\n`,
      )
    }
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof UnreadableReport || error instanceof ProfileError)) throw error
    io.err.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

async function checkedBy(report: ReturnType<typeof readAnyReport>, named: string | undefined) {
  const { from, keys } = await keysFor(report, named)
  return CheckedSignature.of(report, keys, from, systemWall())
}
