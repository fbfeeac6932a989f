/** The report of a comparison: differences by operation and field, in five formats. */
import { createHash } from 'node:crypto'
import { styleText } from 'node:util'
import { escaped } from '../lib/text/escaped.ts'
import { shown } from '../lib/text/shown.ts'
import { tokens } from '../pages/tokens.ts'
import type { Difference, Finding, Report } from './differences.ts'
import type { Message } from './messages.ts'
import { messageIn } from '../service/vocabulary/observed.ts'
import type { Recording } from './har.ts'
import type { Replayed } from './replay.ts'

const severities: readonly Finding['severity'][] = ['breaking', 'surprising', 'cosmetic']
const MOST_ENTRIES = 5
const LONGEST_MESSAGE = 1_000

/** Differences with the same cause. */
export function groupsOf(differences: readonly Difference[]): readonly (readonly Difference[])[] {
  const groups = new Map<string, Difference[]>()
  for (const each of differences) {
    const { operation, place, field, kind, ours, theirs } = each
    // A rejection is a cause of its own for each message.
    const cause =
      kind === 'status'
        ? `${causeOf(ours as Message)} ${(theirs as Message).status}`
        : kind === 'message'
          ? shown(ours)
          : ''
    const key = JSON.stringify([operation, place, field, kind, cause])
    const group = groups.get(key)
    if (group) group.push(each)
    else groups.set(key, [each])
  }
  return [...groups.values()]
}

/** Values in messages differ from request to request. Bounded, because the pattern takes time by the square of the length. */
export const causeOf = ({ status, body }: Message): string =>
  `${status} ${messageIn(body)
    .slice(0, LONGEST_MESSAGE)
    .replace(/"[^"]*"|got \S+|\b[\w.-]*\d[\w.-]*/g, '*')}`

export function reportOf(file: string, { entries, sha256 }: Recording, replayed: Replayed): Report {
  const { differences, seen, counts, notes, description } = replayed
  const findings = groupsOf(differences).map((group): Finding => {
    const [{ operation, place, field, kind, ours, theirs }] = group as readonly [Difference, ...Difference[]]
    const point = description.point(operation, place, field)
    return {
      operation,
      place,
      field,
      kind,
      severity: severityOf(kind, place, field, point?.closed ?? false),
      sandbox: valueText(ours),
      service: valueText(theirs),
      seen: group.length,
      of: Math.max(group.length, seen.get(`${operation}|${place}|${field}`) ?? 0),
      // A comparison of descriptions has none.
      entries: [...new Set(group.map(({ entry }) => entry))].slice(0, Math.min(MOST_ENTRIES, entries.length)),
      point: point?.name ?? null,
      provenance: point?.provenance ?? null,
    }
  })
  const rank = ({ severity }: Finding) => severities.indexOf(severity)
  findings.sort((a, b) => rank(a) - rank(b) || b.seen - a.seen)
  // By operation, the one with the worst difference first.
  const places = [...new Set(findings.map(placeText))]
  findings.sort((a, b) => places.indexOf(placeText(a)) - places.indexOf(placeText(b)))
  const contradicted = new Set(
    findings.flatMap(({ point, provenance }) => (provenance === 'assumed' ? [point!] : [])),
  )
  const confirmed = new Set<string>()
  for (const key of seen.keys()) {
    const [operation, place, field] = key.split('|') as [string, string, string]
    const point = description.point(operation, place, field)
    if (point?.provenance === 'assumed' && !contradicted.has(point.name)) confirmed.add(point.name)
  }
  const { assumed } = description
  return {
    kind: 'comparison',
    file,
    sha256,
    entries: entries.length,
    ...counts,
    provenance: {
      assumed,
      confirmed: confirmed.size,
      contradicted: contradicted.size,
      not_seen: assumed - confirmed.size - contradicted.size,
    },
    differences: findings,
    notes: [...notes],
  }
}

function severityOf(
  kind: Finding['kind'],
  place: string,
  field: string,
  closed: boolean,
): Finding['severity'] {
  if (kind === 'narrowed') return place === 'request' ? 'breaking' : 'cosmetic'
  if (kind === 'widened') return place === 'request' ? 'cosmetic' : 'surprising'
  if (kind === 'header') return field === 'header content-type' ? 'breaking' : 'surprising'
  if (['status', 'missing', 'type', 'count'].includes(kind) || (kind === 'value' && closed)) return 'breaking'
  return kind === 'extra' || kind === 'message' ? 'cosmetic' : 'surprising'
}

const LONGEST = 200

function valueText(value: unknown): string | null {
  if (value === undefined) return null
  const message = value as Partial<Message> | null
  const text =
    message !== null && typeof message === 'object' && message.headers instanceof Map
      ? `${message.status} ${messageIn(message.body)}`.trim()
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** Whether the report has differences of this severity or a higher one. */
export const fails = ({ differences }: Report, on: 'breaking' | 'any'): boolean =>
  differences.some(({ severity }) => on === 'any' || severity === 'breaking')

/** Formats a difference in one line. */
export const differenceText = ({ operation, place, field, kind, ours, theirs }: Difference): string =>
  `${operation} ${place} ${field} (${kind}): sandbox ${valueText(ours) ?? 'nothing'}, service ${valueText(theirs) ?? 'nothing'}`

const kindWords: Readonly<Partial<Record<Finding['kind'], string>>> = {
  missing: 'missing field',
  extra: 'additional field',
  count: 'another number',
  narrowed: 'narrowed field',
  widened: 'widened field',
}

const placeText = ({ operation, place }: Finding) => `${operation || 'every operation'} ${place}`
const headline = ({ kind, field }: Finding) => `${kindWords[kind] ?? `another ${kind}`} ${field}`.trim()
const evidence = ({ seen, of, entries, provenance }: Finding) =>
  [`${seen} of ${of}`, ...(entries.length > 0 ? [`entries ${entries.join(', ')}`] : []), provenance ?? []]
    .flat()
    .join(', ')

const columns = ['Severity', 'Where', 'Difference', 'Sandbox', 'Service', 'Seen']
const cellsOf = (each: Finding): readonly string[] => [
  each.severity,
  placeText(each),
  headline(each),
  each.sandbox ?? '–',
  each.service ?? '–',
  evidence(each),
]

function summaryOf(report: Report): readonly string[] {
  const { differences, requests, callbacks, provenance } = report
  const { assumed, confirmed, contradicted, not_seen } = provenance
  const counts = severities.map(
    (each) => `${differences.filter(({ severity }) => severity === each).length} ${each}`,
  )
  const found =
    requests + callbacks === 0
      ? 'nothing was compared'
      : differences.length === 0
        ? 'no differences'
        : `${differences.length} differences (${counts.join(', ')})`
  return [
    report.entries === 0
      ? `${requests} operations compared: ${found}`
      : `${requests} requests and ${callbacks} callbacks compared: ${found}`,
    `Of ${assumed} assumed points, ${confirmed} are confirmed, ${contradicted} contradicted, ${not_seen} not seen.`,
  ]
}

export function textOf(report: Report, colours: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text
  const colour = { breaking: 'red', surprising: 'yellow', cosmetic: 'gray' } as const
  let place = ''
  const lines = report.differences.flatMap((each) => {
    const { severity, sandbox, service } = each
    const head = placeText(each) === place ? [] : ['', paint('bold', (place = placeText(each)))]
    return [
      ...head,
      `  ${paint(colour[severity], severity.padEnd(10))} ${headline(each)}`,
      `             sandbox ${sandbox ?? 'nothing'}, service ${service ?? 'nothing'}`,
      `             ${evidence(each)}`,
    ]
  })
  return [...summaryOf(report), ...lines, ...report.notes.map((note) => `note: ${note}`), ''].join('\n')
}

function markdownOf(report: Report): string {
  const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replace(/\s+/g, ' ')
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  const rows = report.differences.map((each) => row(cellsOf(each)))
  const table = rows.length > 0 ? [row(columns), row(columns.map(() => '---')), ...rows] : []
  return [`# Sandbox and service: ${cell(report.file)}`, '', ...summaryOf(report), '', ...table, ''].join(
    '\n',
  )
}

function junitOf({ differences, file, requests }: Report): string {
  const cases = differences.map((each) => {
    const [severity, place, head, sandbox, service, seen] = cellsOf(each).map(escaped)
    const message = `sandbox ${sandbox}, service ${service}`
    return `    <testcase classname="${place}" name="${head}" time="0"><failure type="${severity}" message="${message}">${seen}</failure></testcase>\n`
  })
  if (cases.length === 0)
    cases.push(`    <testcase classname="compare" name="${requests} requests" time="0"/>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${escaped(file)}" tests="${cases.length}" failures="${differences.length}" errors="0" time="0">
${cases.join('')}  </testsuite>
</testsuites>
`
}

const style = `${tokens}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1.25rem; background: var(--ground); color: var(--text); font: 15px/1.5 var(--sans); overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; } .soft { color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; } th, td { padding: 0.4rem 0.6rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
.breaking { color: var(--bad); } .surprising { color: var(--wait); } .cosmetic { color: var(--soft); }
td:nth-child(4), td:nth-child(5) { font-family: var(--mono); }
@media print { :root { color-scheme: light; } tr { break-inside: avoid; } thead { display: table-header-group; } }
`

function htmlOf(report: Report): string {
  const hash = createHash('sha256').update(style).digest('base64')
  const line = (text: string, kind = '') => `<p${kind}>${escaped(text)}</p>`
  const rows = report.differences.map((each) => {
    const [severity, ...cells] = cellsOf(each)
    const row = cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')
    return `<tr><td class="${severity}">${severity}</td>${row}</tr>`
  })
  const heads = columns.map((head) => `<th scope="col">${head}</th>`).join('')
  const foot = [...report.notes, `${report.file}, SHA-256 ${report.sha256}`]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<title>Sandbox and service: ${escaped(report.file)}</title><style>${style}</style></head>
<body><h1>Sandbox and service</h1>${summaryOf(report)
    .map((each) => line(each))
    .join('')}
<table><thead><tr>${heads}</tr></thead><tbody>${rows.join('\n')}</tbody></table>
${foot.map((each) => line(each, ' class="soft"')).join('')}</body></html>
`
}

export const reports = {
  json: (report: Report) => `${JSON.stringify(report)}\n`,
  html: htmlOf,
  junit: junitOf,
  markdown: markdownOf,
} as const
