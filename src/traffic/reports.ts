/** Reports of a run: a page for people, Markdown, JUnit, and the comparison of two runs. */
import { createHash } from 'node:crypto'
import { tokens } from '../pages/tokens.ts'
import { escaped } from '../lib/text/escaped.ts'
import { wrongKinds, wrongWords } from './books.ts'
import { isTimeLimit, limitAbout, type LimitResult, type TrafficRun } from './result.ts'

export const reports = {
  html: { file: 'traffic.html', write: (run: TrafficRun) => htmlReport(run) },
  json: { file: 'traffic.json', write: (run: TrafficRun) => `${JSON.stringify(run, null, 2)}\n` },
  junit: { file: 'traffic.xml', write: (run: TrafficRun) => junitReport(run) },
  markdown: { file: 'traffic.md', write: (run: TrafficRun) => markdownReport(run) },
} as const
export type ReportName = keyof typeof reports

const time = (ms: number) => (ms >= 1_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms)} ms`)
const limitText = ({ name, value, limit }: LimitResult): string => {
  const isTime = isTimeLimit(name)
  return `${value < 0 ? 'never' : isTime ? time(value) : value}, at most ${isTime ? time(limit) : limit}`
}

/** The figures of a run as names and texts. */
export function figuresOf(run: TrafficRun): readonly (readonly [name: string, text: string])[] {
  const { customers, ledger, wrong, agreement, receiver, api, generator } = run
  return [
    [
      'Orders',
      `${customers.orders}: ${ledger.paid} paid, ${ledger.failed} failed, ${ledger.reversed} reversed, ${ledger.open} open, ${ledger.none} without a payment`,
    ],
    [
      'Customers',
      `${customers.again} pressed twice, ${customers.devices} used two devices, ${customers.retries} tried again, ${customers.failed_triggers} failed triggers`,
    ],
    [
      'Wrong orders',
      `${wrong.count}, ${wrong.at_stake} shillings at stake; ${run.flagged} flagged for a person`,
    ],
    [
      'Agreement',
      agreement.seconds === null
        ? 'the books do not agree'
        : `${agreement.seconds} s after the last incident`,
    ],
    [
      'Receiver',
      `${receiver.count} attempts, p50 ${time(receiver.p50)}, p99 ${time(receiver.p99)}, ${receiver.errors} errors, ${receiver.timeouts} timeouts${receiver.gaps > 0 ? `; incomplete, ${receiver.gaps} gaps` : ''}`,
    ],
    [
      'API',
      `${api.requests_per_order} requests and ${api.status_queries_per_order} status queries per order, ${api.rejected} rejected with 429 or 503`,
    ],
    [
      'Generator',
      `${generator.customers_per_second} customers a second, ${time(generator.lateness.p99)} late (p99), trigger p99 ${time(generator.trigger.p99)}, CPU ${generator.cpu}${generator.bottleneck ? `; the ${generator.bottleneck} is the bottleneck` : ''}`,
    ],
    ['Record', run.record],
  ]
}

export const wrongText = ({ wrong }: TrafficRun): readonly string[] =>
  wrongKinds.filter((kind) => wrong.kinds[kind] > 0).map((kind) => `${wrong.kinds[kind]} ${wrongWords[kind]}`)

function markdownReport(run: TrafficRun): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ')
  return [
    `# ${cell(run.title)}: ${run.verdict.result}`,
    '',
    cell(run.verdict.text),
    '',
    '| Figure | Value |',
    '| --- | --- |',
    ...figuresOf(run).map(([name, text]) => `| ${name} | ${cell(text)} |`),
    ...run.limits.map((each) => `| ${each.ok ? '✓' : '✗'} ${limitAbout(each.name)} | ${limitText(each)} |`),
    ...(run.wrong.count > 0
      ? ['', '| Order | Wrong | Ledger | Shop | Shillings |', '| --- | --- | --- | --- | --: |']
      : []),
    ...run.wrong.orders.map(
      ({ order, kind, ledger, shop, amount }) =>
        `| ${cell(order)} | ${wrongWords[kind]} | ${ledger} | ${cell(shop)} | ${amount} |`,
    ),
    '',
  ].join('\n')
}

function junitReport(run: TrafficRun): string {
  const { limits, verdict, title } = run
  const failed = limits.filter(({ ok }) => !ok).length
  const cases = limits.map((each) => {
    const failure = each.ok
      ? ''
      : `<failure message="${escaped(limitText(each))}">${escaped(each.name === 'wrong' ? wrongText(run).join('\n') : verdict.text)}</failure>`
    return `    <testcase classname="traffic" name="${escaped(limitAbout(each.name))}" time="0">${failure}</testcase>`
  })
  const unsure =
    verdict.result === 'inconclusive'
      ? `    <testcase classname="traffic" name="the run is conclusive"><error message="${escaped(verdict.text)}"/></testcase>\n`
      : ''
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${escaped(title)}" tests="${limits.length + (unsure ? 1 : 0)}" failures="${failed}" errors="${unsure ? 1 : 0}" time="${run.duration_ms / 1_000}">
${unsure}${cases.join('\n')}
  </testsuite>
</testsuites>
`
}

const style = `${tokens}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem; background: var(--ground); color: var(--text); font: 15px/1.5 var(--sans); overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 2.25rem; line-height: 1.1; letter-spacing: -0.03em; }
h2 { margin: 2.5rem 0 0.5rem; font-size: 1.125rem; }
.pass h1 { color: var(--good); } .fail h1 { color: var(--bad); } .inconclusive h1 { color: var(--wait); }
.soft { color: var(--soft); }
.card { margin-top: 1rem; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: var(--round-l, 8px); background: var(--card); break-inside: avoid; }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: 0.35rem 1rem; margin: 0; } dd { margin: 0; } dt { color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; } th, td { padding: 0.3rem 0.6rem 0.3rem 0; border-bottom: 1px solid var(--line); text-align: start; } td:last-child, th:last-child { text-align: end; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px var(--sans); }
.bar { fill: var(--accent); } .bad { fill: var(--bad); } .band { fill: var(--wait-back); } .axis { stroke: var(--line); } .curve { fill: none; stroke: var(--bad); stroke-width: 2; } .ok { color: var(--good); } .no { color: var(--bad); }
@page { margin: 14mm 13mm; }
@media print { :root { color-scheme: light; } body { background: none; padding: 0; max-width: none; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } tr { break-inside: avoid; } thead { display: table-header-group; } }
`

function htmlReport(run: TrafficRun): string {
  const { title, verdict, limits, wrong, receiver, agreement, incidents } = run
  const hash = createHash('sha256').update(style).digest('base64')
  const rows = (cells: readonly (readonly (string | number)[])[]) =>
    cells.map((row) => `<tr>${row.map((cell) => `<td>${escaped(String(cell))}</td>`).join('')}</tr>`).join('')
  const heads = (...names: readonly string[]) =>
    `<thead><tr>${names.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>`
  const word = verdict.result === 'pass' ? 'Survived' : verdict.result === 'fail' ? 'Failed' : 'Inconclusive'
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<title>${escaped(title)}: ${word.toLowerCase()}</title><style>${style}</style></head>
<body class="${verdict.result}"><p class="soft">${escaped(title)} · ${run.started_at.slice(0, 16).replace('T', ' ')} UTC · seed ${escaped(run.seed)}</p>
<h1>${word}</h1><p>${escaped(verdict.text)}</p>
<section class="card"><dl>${figuresOf(run)
    .map(([name, text]) => `<dt>${name}</dt><dd>${escaped(text)}</dd>`)
    .join('')}</dl></section>
<h2>Limits</h2><section class="card"><table>${heads('Limit', 'Value', '')}<tbody>${limits.map((each) => `<tr><td>${escaped(limitAbout(each.name))}</td><td>${limitText(each)}</td><td class="${each.ok ? 'ok' : 'no'}">${each.ok ? '✓ kept' : '✗ exceeded'}</td></tr>`).join('')}</tbody></table></section>
<h2>Incidents</h2><section class="card">${incidents.length === 0 ? '<p class="soft">None.</p>' : `<ul>${incidents.map((each) => `<li><b>${escaped(each.name)}</b>: ${escaped(each.title)}</li>`).join('')}</ul>`}</section>
<h2>Callbacks per minute, and failed ones</h2><section class="card">${minuteChart(
    run,
    receiver.over_time.map(({ minute, attempts, errors }) => ({ minute, all: attempts, bad: errors })),
    'attempts',
  )}</section>
<h2>Latency of the receiver, p99 per minute</h2><section class="card">${minuteChart(
    run,
    receiver.over_time.map(({ minute, p99 }) => ({ minute, all: p99, bad: 0 })),
    'ms',
  )}</section>
<h2>Wrong orders after the last incident</h2><section class="card">${curveChart(agreement.curve)}</section>
${
  wrong.count === 0
    ? ''
    : `<h2>${wrong.count} wrong orders, ${wrong.at_stake} shillings at stake</h2><p>${wrongText(run).join(', ')}.${wrong.orders.length < wrong.count ? ` The first ${wrong.orders.length}:` : ''}</p>
<section class="card"><table>${heads('Order', 'Wrong', 'Ledger', 'Shop', 'Shillings')}<tbody>${rows(wrong.orders.map(({ order, kind, ledger, shop, amount }) => [order, wrongWords[kind], ledger, shop, amount]))}</tbody></table></section>`
}
</body></html>
`
}

const WIDTH = 900
const HEIGHT = 160
const LEFT = 44
const BOTTOM = 22

const frame = (label: string, most: number, unit: string, inside: string) =>
  `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(label)}"><text x="0" y="12">${Math.round(most)} ${unit}</text><line class="axis" x1="${LEFT}" y1="${HEIGHT - BOTTOM}" x2="${WIDTH}" y2="${HEIGHT - BOTTOM}"/>${inside}</svg>`

/** Bars per minute, above bands while incidents are in force. */
function minuteChart(
  run: TrafficRun,
  minutes: readonly { readonly minute: number; readonly all: number; readonly bad: number }[],
  unit: string,
): string {
  if (minutes.length === 0) return '<p class="soft">No callback was sent.</p>'
  const last = Math.max(run.reached_ms / 60_000, ...minutes.map(({ minute }) => minute + 1))
  const most = Math.max(1, ...minutes.map(({ all }) => all))
  const x = (minute: number) => LEFT + (minute / last) * (WIDTH - LEFT)
  const y = (value: number) => (value / most) * (HEIGHT - BOTTOM - 16)
  const rect = (kind: string, from: number, to: number, height: number) =>
    `<rect class="${kind}" x="${x(from).toFixed(1)}" y="${(HEIGHT - BOTTOM - height).toFixed(1)}" width="${Math.max(1, x(to) - x(from)).toFixed(1)}" height="${height.toFixed(1)}"/>`
  const bands = run.incidents
    .flatMap(({ entries }) => entries)
    .map(({ from_ms, to_ms }) =>
      rect(
        'band',
        from_ms / 60_000,
        Math.min(last, Math.max(to_ms, from_ms + 10_000) / 60_000),
        HEIGHT - BOTTOM - 16,
      ),
    )
  const bars = minutes.map(
    ({ minute, all, bad }) =>
      rect('bar', minute + 0.1, minute + 0.9, y(all)) +
      (bad > 0 ? rect('bad', minute + 0.1, minute + 0.9, y(bad)) : ''),
  )
  const ticks = Array.from({ length: 6 }, (_, n) => Math.round((n * last) / 5)).map(
    (minute) =>
      `<text x="${x(minute).toFixed(0)}" y="${HEIGHT - 6}" text-anchor="${minute >= last ? 'end' : 'start'}">${minute} min</text>`,
  )
  return frame(`Per minute, at most ${most} ${unit}`, most, unit, [...bands, ...bars, ...ticks].join(''))
}

function curveChart(curve: TrafficRun['agreement']['curve']): string {
  const most = Math.max(1, ...curve.map(({ wrong }) => wrong))
  const last = Math.max(1, ...curve.map(({ seconds }) => seconds))
  const points = curve.map(
    ({ seconds, wrong }) =>
      `${(LEFT + (seconds / last) * (WIDTH - LEFT - 4)).toFixed(1)},${(HEIGHT - BOTTOM - (wrong / most) * (HEIGHT - BOTTOM - 16)).toFixed(1)}`,
  )
  const text = `${curve.at(-1)?.wrong ?? 0} wrong after ${curve.at(-1)?.seconds ?? 0} s`
  return frame(
    text,
    most,
    'orders',
    `<polyline class="curve" points="${points.join(' ')}"/><text x="${WIDTH}" y="${HEIGHT - 6}" text-anchor="end">${text}</text>`,
  )
}

/** The compared figures: a smaller value is better. */
const compared: readonly (readonly [name: string, value: (run: TrafficRun) => number])[] = [
  ['wrong orders', (run) => run.wrong.count],
  ['money at stake', (run) => run.wrong.at_stake],
  ['flagged orders', (run) => run.flagged],
  ['seconds until the books agree', (run) => run.agreement.seconds ?? -1],
  ['receiver p99, ms', (run) => run.receiver.p99],
  ['receiver errors', (run) => run.receiver.errors],
  ['requests per order', (run) => run.api.requests_per_order],
  ['status queries per order', (run) => run.api.status_queries_per_order],
  ['failed triggers', (run) => run.customers.failed_triggers],
]

/** Compares two runs. */
export const compareRuns = (before: TrafficRun, after: TrafficRun) => ({
  /** Whether both runs had the same customers and incidents. */
  comparable: before.record === after.record,
  /** Whether the verdict fails, or more orders are wrong. */
  worse: after.wrong.count > before.wrong.count || after.verdict.exit_code > before.verdict.exit_code,
  figures: compared.map(([name, value]) => ({ name, before: value(before), after: value(after) })),
})
