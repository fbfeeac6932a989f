import { type Command, Option } from '@commander-js/extra-typings'
import { open, writeFile } from 'node:fs/promises'
import { KEY_SET_PATH } from '../callbacks/signatures/report-key.ts'
import type { Certification, Standing } from '../certify/certification.ts'
import { checkIds } from '../certify/check-ids.ts'
import { checksNamed } from '../certify/certify.ts'
import { ProfileError } from '../certify/checked-file.ts'
import { isReportName, reports } from '../certify/reports/reports.ts'
import { bundleOf } from './certify-bundle.ts'
import { type Difference, differenceOf } from '../certify/reports/diff.ts'
import { commentReport, standingChange } from '../certify/reports/markdown.ts'
import { oneLine, standingText } from '../certify/reports/words.ts'
import { exitCodeOf } from '../certify/results.ts'
import {
  CheckedSignature,
  faultOf,
  type PublishedKey,
  readKeys,
  type ReadReport,
  readReport,
  UnreadableReport,
  wholeCertification,
} from '../certify/verify.ts'
import { reasonOf } from './failures.ts'
import { durationOption, type plainCommand } from './options.ts'
import { exitCodes, painter } from './output.ts'
import type { Process } from './process.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { suggestion } from '../lib/text/suggest.ts'

export const listed = (text: string, before: readonly string[] = []) => [
  ...before,
  ...text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
]

export const reportOption = (what: string) =>
  new Option('--report <form=file>', `${what}, such as html=report.html; comma-separated`).argParser(listed)

export const bundleOption = () =>
  new Option('--bundle <file>', 'also write an archive of the evidence, such as evidence.tar.gz')

const publicKeyOption = () =>
  new Option(
    '--public-key <file|url>',
    'the public key: a sandbox, a key set, a JWK or PEM (default: from the sandbox that the report names)',
  )

/** Adds the commands on reports. */
export function reportCommands(
  certify: Command<[], { plan?: string; require?: Standing; json?: true }>,
  plain: ReturnType<typeof plainCommand>,
): void {
  plain(
    certify
      .command('verify')
      .description(
        'Verify a signed report and print its summary. Exit code 0: valid signature; 1: invalid; 2: unreadable file or key.',
      )
      .argument('<file>', 'the response of POST /sandbox/certifications')
      .addOption(publicKeyOption())
      .option('--subject <name>', 'the expected shop: exit code 1 for a report of another')
      .addOption(durationOption('--max-age', 'the maximum age of the report, such as 90d'))
      .addOption(new Option('--checks <checks>', 'checks or groups that must have passed').argParser(listed)),
    ({ io, json }, file, flags) =>
      attempt(io, async () => {
        const report = await naming(file, async () => readReport(await textOf(file, MAX_TEXT)))
        const { from, keys } = await keysFor(report, flags.publicKey)
        const fault = faultOf(report, keys)
        const other = subjectMismatch(flags.subject, report) ?? shortfallOf(flags, report.certification)
        const trust = flags.publicKey === undefined ? ADDRESS_FROM_REPORT : ''
        io.out.write(
          json
            ? jsonOf(report, { fault, other }, report.jws ? from : null)
            : textFor(io, report, { fault, other }, from, trust),
        )
        return fault === undefined && other === undefined ? exitCodes.done : exitCodes.no
      }),
  )
  plain(
    certify
      .command('report')
      .description(
        'Convert a certification to other formats, by default an HTML page. A signed report is verified first. Exit code 1: invalid ' +
          'signature, nothing written; 2: unreadable file or key.',
      )
      .argument('<file>', 'the output of certify --json, or the response of POST /sandbox/certifications')
      .addOption(reportOption('the formats'))
      .addOption(bundleOption())
      .addOption(publicKeyOption()),
    ({ io, json }, file, flags) =>
      attempt(io, async () => {
        const wanted = (flags.report ?? (flags.bundle === undefined ? ['html'] : [])).map(requestedReport)
        const read = await naming(file, async () => {
          const report = readReport(await textOf(file, 8 * MAX_TEXT), true)
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
          await naming(target, () => writeFile(target, text))
          io.out.write(
            json
              ? `${JSON.stringify({ kind: 'report_written', form: name, file: target, key_id: checked?.key_id ?? null })}\n`
              : `${target}: ${checked ? `signed with the key ${checked.key_id} of ${oneLine(checked.from)}` : 'unsigned'}\n`,
          )
        }
        if (flags.bundle !== undefined) {
          const signed = checked && { text: await textOf(file, 8 * MAX_TEXT), checked }
          const bundle = await bundleOf(certification, { signed })
          await naming(flags.bundle, () => writeFile(flags.bundle!, bundle))
        }
        return exitCodes.done
      }),
  )
  plain(
    certify
      .command('diff')
      .description(
        'Compare two certifications of a shop: checks that are worse, better, new or redefined. Exit code 0: not worse; 1: worse; 2: ' +
          'unreadable file.',
      )
      .argument('<old>', 'the output of certify --json, or a signed report')
      .argument('<new>', 'the same, of a later run')
      .option('--markdown', 'print Markdown for a comment on a pull request'),
    ({ io, json }, old, current, { markdown }) =>
      attempt(io, async () => {
        const [before, after] = await Promise.all([old, current].map(certificationAt))
        const difference = differenceOf(before!, after!)
        if (json) io.out.write(`${JSON.stringify({ kind: 'difference', ...difference })}\n`)
        else io.out.write(markdown ? commentReport(difference) : differenceText(difference, io.out.colours))
        return difference.worse ? exitCodes.no : exitCodes.done
      }),
  )
}

/** Runs a command on files that may be no reports. @returns The exit code. */
async function attempt({ err }: Process, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UnreadableReport || error instanceof ProfileError)) throw error
    err.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

/** What a report must prove. */
interface Requirements {
  readonly require?: Standing | undefined
  /** Milliseconds. */
  readonly maxAge?: number | undefined
  readonly plan?: string | undefined
  readonly checks?: readonly string[] | undefined
}

/** Returns why a report is too old, or proves too little. */
function shortfallOf(
  { require: required, maxAge, plan: wanted, checks: named }: Requirements,
  { ended_at, expires_at, summary, plan, witness, checks }: Certification,
): string | undefined {
  if (expires_at !== null && systemWall() >= Date.parse(expires_at))
    return `The certification expired on ${expires_at}.`
  if (wanted !== undefined && plan?.name !== wanted)
    return `The report follows ${plan ? `the plan ${plan.name}` : 'no plan'}, and ${wanted} is required.`
  if (wanted !== undefined && witness === null)
    return 'No sandbox witnessed the run: the report judges only a request log.'
  const ids = named ? checksNamed(named, checkIds) : []
  const lacking = ids.filter((id) => checks.find((each) => each.id === id)?.verdict !== 'pass')
  if (lacking.length > 0) return `The report does not show that ${lacking.join(', ')} passed.`
  if (required !== undefined && exitCodeOf(summary.standing, required) !== exitCodes.done)
    return `The standing is ${standingText(summary)}, and ${required.replaceAll('_', ' ')} is required.`
  return maxAge !== undefined && systemWall() - Date.parse(ended_at) > maxAge
    ? `The report is from ${ended_at}, which is more than ${formatDuration(maxAge)} ago.`
    : undefined
}

interface Faults {
  /** The fault of its signature. */
  readonly fault: string | undefined
  /** Its subject, standing or age is not the expected one. */
  readonly other: string | undefined
}

const subjectMismatch = (subject: string | undefined, { certification }: ReadReport): string | undefined =>
  subject === undefined || certification.subject === subject
    ? undefined
    : `The report is about ${JSON.stringify(certification.subject)}, not ${JSON.stringify(subject)}.`

function jsonOf({ certification, header }: ReadReport, { fault, other }: Faults, from: string | null) {
  const { subject, shop_version, sandbox, plan, witness, ended_at, expires_at, summary } = certification
  const { standing, ready, text, score } = summary
  const { url, version, world } = sandbox
  const kid = header?.['kid']
  return `${JSON.stringify({
    kind: 'report',
    valid: fault === undefined,
    fault: fault ?? other ?? null,
    key: from,
    key_id: typeof kid === 'string' ? kid : null,
    subject,
    shop_version,
    sandbox: { url, version, world },
    plan: plan?.name ?? null,
    witnessed: witness !== null,
    issued_at: ended_at,
    expires_at,
    standing,
    ready,
    text,
    score,
  })}\n`
}

function textFor(
  { out }: Process,
  { certification }: ReadReport,
  { fault, other }: Faults,
  from: string,
  trust: string,
) {
  const paint = painter(out.colours)
  if (fault !== undefined)
    return `${paint(['bold', 'red'], oneLine(fault))}\n\nUnverified content:\n${summaryOf(certification)}`
  const holds = paint(['bold', 'green'], `The signature is valid, with the key of ${oneLine(from)}.`)
  const whose = other === undefined ? '' : `${paint(['bold', 'red'], oneLine(other))}\n`
  return `${holds}\n${whose}${trust}\nContent:\n${summaryOf(certification)}`
}

const ADDRESS_FROM_REPORT =
  'The address comes from the report: check that it is the right sandbox, or pass the key with --public-key.\n'

function summaryOf(certification: Certification): string {
  const { subject, shop_version, sandbox, plan, witness, ended_at, expires_at, summary, checks } =
    certification
  const passed = checks.filter(({ verdict }) => verdict === 'pass').length
  const lines = [
    ['Shop', shop_version === null ? subject : `${subject} ${shop_version}`],
    ...(plan ? [['Plan', `${plan.name}, ${plan.title}`] as const] : []),
    ['Basis', witness ? `run ${witness.run}, witnessed by the sandbox` : 'the request log of a world'],
    ['Sandbox', sandbox.url + (sandbox.world ? `, world ${sandbox.world}` : '')],
    ['Created', ended_at],
    ...(expires_at === null ? [] : [['Expires', expires_at] as const]),
    ['Verdict', summary.text],
    ['Checks', `${passed} of ${checks.length} passed`],
  ] as const
  return lines.map(([name, text]) => `  ${name.padEnd(8)} ${oneLine(text).slice(0, 300)}\n`).join('')
}

const certificationAt = (file: string): Promise<Certification> =>
  naming(file, async () =>
    wholeCertification(readReport(await textOf(file, 8 * MAX_TEXT), true).certification),
  )

function differenceText(difference: Difference, colours: boolean): string {
  const paint = painter(colours)
  const { subject, changes, same, coverage } = difference
  const lines = changes.map(({ id, title, level, kind, before, after, observed }) => {
    const style = kind === 'worse' ? 'red' : kind === 'better' ? 'green' : 'yellow'
    const sides = `${before?.verdict ?? 'none'} → ${after?.verdict ?? 'none'}`
    const seen = kind === 'worse' ? `\n           ${oneLine(observed).slice(0, 300)}` : ''
    return `  ${paint(style, kind.padEnd(9))} ${id.padEnd(6)} ${title} (${level}): ${sides}${seen}`
  })
  const lost = coverage.lost.length > 0 ? [`No longer met: ${coverage.lost.join(', ')}.`] : []
  const head = paint('bold', `${oneLine(subject)}: ${standingChange(difference)}`)
  return `${[head, ...lines, `${same} checks as before.`, ...lost].join('\n')}\n`
}

/** @throws {ProfileError} For an unknown format. */
export function requestedReport(text: string) {
  const [name = '', ...rest] = text.split('=')
  if (!isReportName(name))
    throw new ProfileError([
      `--report ${text}: "${name}" is not a format${suggestion(name, Object.keys(reports))}`,
    ])
  return { name, file: rest.join('=') || reports[name].file }
}

async function checkedBy(report: ReadReport, named: string | undefined) {
  const { from, keys } = await keysFor(report, named)
  return CheckedSignature.of(report, keys, from, systemWall())
}

/** Characters of a signed report, and of a key set. */
const MAX_TEXT = 1_048_576

/** Milliseconds. */
const TIMEOUT = 10_000

/** Prefixes errors with the name of the file. @throws {UnreadableReport} */
async function naming<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const impact = code === 'ENOENT' ? 'there is no such file' : message
    throw new UnreadableReport(`${oneLine(what)}: ${oneLine(impact).slice(0, 500)}`)
  }
}

/** Returns the keys for a signed report. @param named - A file or an address; by default the sandbox that the report names. */
async function keysFor(
  report: ReadReport,
  named: string | undefined,
): Promise<{ readonly from: string; readonly keys: readonly PublishedKey[] }> {
  const from = named ?? sandboxOf(report)
  const text = () => (named === undefined ? fetched(from + KEY_SET_PATH) : keyText(from))
  return { from, keys: report.jws ? await naming(from, async () => readKeys(await text())) : [] }
}

/** Returns the address of the sandbox that the report names, with its path but without query and credentials. */
function sandboxOf({ jws, certification }: ReadReport): string {
  const { url } = certification.sandbox
  if (!jws) return url
  if (isWeb(url)) {
    const { origin, pathname } = new URL(url)
    return origin + pathname.replace(/\/+$/, '')
  }
  throw new UnreadableReport(
    'the report does not contain the address of its sandbox; pass the key with --public-key, a file or an address',
  )
}

const isWeb = (text: string) => /^https?:\/\//i.test(text) && isUrl(text)

const keyText = (from: string) => (isWeb(from) ? fetched(keyAddress(from)) : textOf(from, MAX_TEXT))

/** Returns the address of a key set; an address without a path is a sandbox. */
function keyAddress(from: string): string {
  return /\.json$|jwks/.test(new URL(from).pathname) ? from : from.replace(/\/+$/, '') + KEY_SET_PATH
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT), redirect: 'error' }).catch(
    (error: unknown) => {
      throw new UnreadableReport(reasonOf(error, url))
    },
  )
  if (!response.ok) throw new UnreadableReport(`it responds with ${response.status} and no key set`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MAX_TEXT) throw tooLarge(MAX_TEXT)
  }
  return text
}

/** Reads a file of at most `most` bytes. */
async function textOf(file: string, most: number): Promise<string> {
  const handle = await open(file)
  try {
    const pieces: Buffer[] = []
    let length = 0
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536), 0, 65_536)
      if (bytesRead === 0) return Buffer.concat(pieces, length).toString()
      pieces.push(buffer.subarray(0, bytesRead))
      length += bytesRead
      if (length > most) throw tooLarge(most)
    }
  } finally {
    await handle.close()
  }
}

const tooLarge = (most: number) =>
  new UnreadableReport(`it is larger than ${most / MAX_TEXT} MiB, so it is not a report`)
