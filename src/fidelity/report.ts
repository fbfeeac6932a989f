/** The report of a comparison: differences by operation and field, in five formats. */
import { createHash } from 'node:crypto'
import { styleText } from 'node:util'
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { escaped } from '../lib/text/escaped.ts'
import { shown } from '../lib/text/shown.ts'
import { tokens } from '../pages/tokens.ts'
import { type Difference, type Kind, type Message } from './differences.ts'
import { messageIn } from '../service/vocabulary/observed.ts'
import type { Replayed } from './replay.ts'

export const severities = ['breaking', 'surprising', 'cosmetic'] as const

const kinds = [
  'status',
  'missing',
  'extra',
  'type',
  'value',
  'format',
  'length',
  'message',
  'header',
  'count',
  'delay',
  'retry',
] as const satisfies readonly Kind[]

/** The schema of the report as JSON. */
export const reportSchema = lazy(() =>
  z.strictObject({
    kind: z.literal('comparison'),
    file: z.string(),
    sha256: z.string(),
    entries: z.int(),
    requests: z.int(),
    callbacks: z.int(),
    skipped: z.int(),
    provenance: z
      .strictObject({ assumed: z.int(), confirmed: z.int(), contradicted: z.int(), not_seen: z.int() })
      .describe('Points of the description that are assumed, and what the recording shows about them.'),
    differences: z.array(
      z.strictObject({
        operation: z.string().describe('Empty for all operations.'),
        place: z.string().describe('The status of the sandbox, or callback.'),
        field: z.string().describe('Such as customer.items[].id; empty for the message as a whole.'),
        kind: z.enum(kinds),
        severity: z.enum(severities),
        sandbox: z.string().nullable(),
        service: z.string().nullable(),
        seen: z.int().describe('The number of observations of the difference.'),
        of: z.int().describe('The number of observations of the field.'),
        entries: z.array(z.int()).describe('Indexes of the first entries in the recording.'),
        point: z.string().nullable().describe('The name of the part in /sandbox/provenance.'),
        provenance: z.enum(['documented', 'observed', 'assumed']).nullable(),
      }),
    ),
    notes: z.array(z.string()),
  }),
)

export type Report = z.infer<ReturnType<typeof reportSchema>>
export type Finding = Report['differences'][number]

const MOST_ENTRIES = 5

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
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups.values()]
}

/** Values in messages differ from request to request. */
export const causeOf = ({ status, body }: Message): string =>
  `${status} ${messageIn(body).replace(/"[^"]*"|got \S+|\b[\w.-]*\d[\w.-]*/g, '*')}`

export function reportOf(file: string, sha256: string, entries: number, replayed: Replayed): Report {
  const { differences, seen, counts, notes, description } = replayed
  const findings = groupsOf(differences).map((group): Finding => {
    const [{ operation, place, field, kind, ours, theirs }] = group as readonly [Difference, ...Difference[]]
    const point = description.point(operation, place, field)
    return {
      operation,
      place,
      field,
      kind,
      severity: severityOf(kind, field, point?.closed ?? false),
      sandbox: valueText(ours),
      service: valueText(theirs),
      seen: group.length,
      of: Math.max(group.length, seen.get(`${operation}|${place}|${field}`) ?? 0),
      entries: [...new Set(group.map(({ entry }) => entry))].slice(0, MOST_ENTRIES),
      point: point?.name ?? null,
      provenance: point?.provenance ?? null,
    }
  })
  findings.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.seen - a.seen)
  const contradicted = new Set(
    findings.flatMap(({ point, provenance }) => (provenance === 'assumed' ? [point!] : [])),
  )
  const confirmed = new Set<string>()
  for (const key of seen.keys()) {
    const [operation, place, field] = key.split('|') as [string, string, string]
    const point = description.point(operation, place, field)
    if (point?.provenance === 'assumed' && !contradicted.has(point.name)) confirmed.add(point.name)
  }
  const assumed = description.assumed.size
  return {
    kind: 'comparison',
    file,
    sha256,
    entries,
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

function severityOf(kind: Kind, field: string, closed: boolean): Finding['severity'] {
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

const kindWords: Readonly<Record<Kind, string>> = {
  status: 'another status',
  missing: 'missing field',
  extra: 'additional field',
  type: 'another type',
  value: 'another value',
  format: 'another format',
  length: 'another length',
  message: 'another message',
  header: 'another header',
  count: 'another number',
  delay: 'another delay',
  retry: 'another retry',
}

const placeText = ({ operation, place }: Finding) => `${operation || 'every operation'} ${place}`
const headline = ({ kind, field }: Finding) => `${kindWords[kind]}${field === '' ? '' : ` ${field}`}`
const values = ({ sandbox, service }: Finding) =>
  `sandbox ${sandbox ?? 'nothing'}, service ${service ?? 'nothing'}`
const evidence = ({ seen, of, entries, provenance }: Finding) =>
  `${seen} of ${of}, entries ${entries.join(', ')}${provenance === null ? '' : `, ${provenance}`}`

function summaryOf({ differences, requests, callbacks, provenance }: Report): readonly string[] {
  const { assumed, confirmed, contradicted, not_seen } = provenance
  const counts = severities.map(
    (each) => `${differences.filter(({ severity }) => severity === each).length} ${each}`,
  )
  return [
    `${requests} requests and ${callbacks} callbacks compared: ${differences.length === 0 ? 'no differences' : `${differences.length} differences (${counts.join(', ')})`}`,
    `Of ${assumed} assumed points, ${confirmed} are confirmed, ${contradicted} contradicted, ${not_seen} not seen.`,
  ]
}

export function textOf(report: Report, colours: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text
  const colour = { breaking: 'red', surprising: 'yellow', cosmetic: 'gray' } as const
  let place = ''
  const lines = report.differences.flatMap((each) => {
    const head = placeText(each) === place ? [] : ['', paint('bold', (place = placeText(each)))]
    return [
      ...head,
      `  ${paint(colour[each.severity], each.severity.padEnd(10))} ${headline(each)}`,
      `             ${values(each)}`,
      `             ${evidence(each)}`,
    ]
  })
  return [...summaryOf(report), ...lines, ...report.notes.map((note) => `note: ${note}`), ''].join('\n')
}

function markdownOf(report: Report): string {
  const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replace(/\s+/g, ' ')
  const rows = report.differences.map(
    (each) =>
      `| ${[each.severity, placeText(each), headline(each), each.sandbox ?? '–', each.service ?? '–', evidence(each)].map(cell).join(' | ')} |`,
  )
  const table = [
    '| Severity | Where | Difference | Sandbox | Service | Seen |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ]
  return [
    `# Sandbox and service: ${cell(report.file)}`,
    '',
    ...summaryOf(report),
    '',
    ...(rows.length > 0 ? table : []),
    '',
  ].join('\n')
}

function junitOf(report: Report): string {
  const { differences, file, requests } = report
  const cases = differences.map(
    (each) =>
      `    <testcase classname="${escaped(placeText(each))}" name="${escaped(headline(each))}" time="0"><failure type="${each.severity}" message="${escaped(values(each))}">${escaped(evidence(each))}</failure></testcase>\n`,
  )
  const passed =
    cases.length === 0 ? `    <testcase classname="compare" name="${requests} requests" time="0"/>\n` : ''
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${escaped(file)}" tests="${Math.max(1, cases.length)}" failures="${cases.length}" errors="0" time="0">
${cases.join('')}${passed}  </testsuite>
</testsuites>
`
}

const style = `${tokens}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1.25rem; background: var(--ground); color: var(--text); font: 15px/1.5 var(--sans); overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; } .soft { color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; } th, td { padding: 0.4rem 0.6rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
.breaking { color: var(--bad); } .surprising { color: var(--wait); } .cosmetic { color: var(--soft); } code { font-family: var(--mono); }
@media print { :root { color-scheme: light; } tr { break-inside: avoid; } thead { display: table-header-group; } }
`

function htmlOf(report: Report): string {
  const hash = createHash('sha256').update(style).digest('base64')
  const rows = report.differences.map((each) => {
    const cells = [placeText(each), headline(each), each.sandbox ?? '–', each.service ?? '–', evidence(each)]
    const marked = cells.map(
      (cell, n) => `<td>${n === 2 || n === 3 ? `<code>${escaped(cell)}</code>` : escaped(cell)}</td>`,
    )
    return `<tr><td class="${each.severity}">${each.severity}</td>${marked.join('')}</tr>`
  })
  const heads = ['Severity', 'Where', 'Difference', 'Sandbox', 'Service', 'Seen'].map(
    (head) => `<th scope="col">${head}</th>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<title>Sandbox and service: ${escaped(report.file)}</title><style>${style}</style></head>
<body><h1>Sandbox and service</h1>${summaryOf(report)
    .map((line) => `<p>${escaped(line)}</p>`)
    .join('')}
<table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table>
${report.notes.map((note) => `<p class="soft">${escaped(note)}</p>`).join('')}<p class="soft">${escaped(report.file)}, SHA-256 ${report.sha256}</p></body></html>
`
}

export const formats = {
  json: (report: Report) => `${JSON.stringify(report)}\n`,
  html: htmlOf,
  junit: junitOf,
  markdown: markdownOf,
} as const
