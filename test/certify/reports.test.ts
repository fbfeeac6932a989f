/** The forms that a certification is told in: each whole, and none that what others wrote can break. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { profileOfOptions } from '../../src/certify/read-profile.ts'
import { reports, type ReportName } from '../../src/certify/reports/reports.ts'
import { escaped, lengthOf, standingText } from '../../src/certify/reports/words.ts'
import { resultOf, summaryOf, noEvidence, withCauses } from '../../src/certify/results.ts'
import { fail, pass } from '../../src/certify/checks/check.ts'
import { certificationSchema } from '../../src/certify/schema.ts'
import { FAULTY, HOSTILE, type Outcomes, sampleCertification } from './sample.ts'

const write = async (name: ReportName, outcomes: Outcomes = FAULTY, more: object = {}) =>
  reports[name].write(sampleCertification(outcomes, more))

const header = { name: HOSTILE, value: HOSTILE }
const hostile: Outcomes = {
  'RCV-2': {
    verdict: 'fail',
    observed: HOSTILE,
    steps: [HOSTILE],
    waiver: { until: '2026-12-31', by: HOSTILE, ticket: HOSTILE, because: HOSTILE },
    timeline: [{ at: '2026-06-13T12:00:00Z', world_at: null, who: 'shop', what: HOSTILE }],
    exchanges: [
      {
        kind: 'callback',
        label: HOSTILE,
        at: '2026-06-13T12:00:00Z',
        duration_ms: 1,
        method: 'POST',
        url: HOSTILE,
        request: { headers: [header], body: HOSTILE },
        response: { status: 500, headers: [header], body: HOSTILE },
        error: HOSTILE,
      },
    ],
  },
}
const harm = () => ({ subject: HOSTILE, sandbox: { version: HOSTILE, url: HOSTILE, world: null } })

describe.each(Object.keys(reports) as ReportName[])('%s', (name) => {
  it('is deterministic', async () => {
    const text = await write(name)
    expect(text.length).toBeGreaterThan(300)
    expect(await write(name)).toBe(text)
  })

  it('contains no bidirectional or terminal control characters', async () => {
    const text = name === 'json' ? '' : await write(name, hostile, harm())
    expect(text.match(/[^\P{C}\r\n\t]/gu) ?? []).toEqual([])
  })
})

it('writes lengths of time without 60 seconds', () => {
  expect([999, 59_900, 119_600, 125_000].map(lengthOf)).toEqual([
    '999 ms',
    '59.9 s',
    '2 min 0 s',
    '2 min 5 s',
  ])
})

describe('the page', () => {
  it('starts with whether the shop is ready and the worst finding', async () => {
    const text = plain(await write('html'))
    expect(text.slice(0, 480)).toMatch(
      /shop-checkout Not ready to go live 2 mandatory checks fail\. 40 of 44 mandatory checks passed Worst finding: fix this first If the shop first checks whether a callback is booked and then books it, two simultaneous requests both pass the check\. Seen: Ten copies were answered 204, and the order was delivered 4 times\./,
    )
    expect(plain(await write('html', {}))).toContain(
      'Ready to go live Every applicable mandatory check passes. 44 of 44 mandatory checks passed',
    )
  })

  it('is not ready if mandatory checks were skipped or not selected', async () => {
    const unseen = sampleCertification({ 'RCV-9': { verdict: 'not_seen' } })
    expect(plain(await reports.html.write(unseen))).toContain('No failure so far')
    const { checks, ...whole } = sampleCertification()
    const some = checks.slice(0, 28)
    const few = { ...whole, checks: some, summary: summaryOf(some) }
    for (const name of ['html', 'markdown', 'badge'] as const)
      expect((await reports[name].write(few)).toLowerCase()).toContain('so far')
    expect(plain(await reports.html.write(few))).toContain('Only 28 of 69 checks were selected.')
  })

  it('lists what remains, mandatory checks first', async () => {
    const [, left = ''] = (await write('html')).split('To do')
    const ids = [...left.split('Not seen yet')[0]!.matchAll(/href="#([A-Z]+-\d+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(['RCV-11', 'RCV-13', 'CLI-6', 'RCV-22', 'SEC-4'])
  })

  it('runs only its own script and loads nothing', async () => {
    const text = await write('html', hostile, harm())
    const [policy = ''] = /default-src[^"]*/.exec(text) ?? []
    for (const tag of ['style', 'script']) {
      const parts = text.split(new RegExp(`<${tag}>|</${tag}>`))
      expect(parts).toHaveLength(3)
      expect(policy.replaceAll('&#39;', "'")).toContain(
        `'sha256-${createHash('sha256').update(parts[1]!).digest('base64')}'`,
      )
    }
    const tags = text.match(/<[^>]*>/g)!.map((tag) => tag.replace(/"[^"]*"/g, '""'))
    expect(
      tags.filter((tag) => /^<(img|iframe|link|object|embed|base|form)\b|\s(on\w+|style)=/i.test(tag)),
    ).toEqual([])
    expect(/(src|href)="(?!#)[^"]*"/.exec(text)).toBeNull()
  })

  it('escapes foreign text', async () => {
    const text = await write('html', hostile, harm())
    expect(text).not.toContain('<script>alert')
    expect(text.match(/<h1/g)).toHaveLength(1)
    expect(text.match(/<details/g)).toHaveLength(text.match(/<\/details>/g)!.length)
    expect(text).toContain('<bdi>&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  it('contains each check with its verdict, headers and bodies', async () => {
    const text = await write('html')
    for (const { id } of sampleCertification().checks) expect(text).toContain(`id="${id}"`)
    expect(text).toContain('webhook-signature')
    expect(text).toContain('&quot;external_reference&quot;:&quot;order-1-1&quot;')
    expect(text).toContain('payments-sandbox certify --only RCV-11')
  })

  it('stays below a megabyte if everything fails', async () => {
    const body = 'x'.repeat(4096)
    const [exchange] = FAULTY['RCV-11']!.exchanges!
    const many = Array.from({ length: 12 }, () => ({ ...exchange!, request: { ...exchange!.request, body } }))
    const all = Object.fromEntries(
      sampleCertification().checks.map(({ id }) => [
        id,
        { ...FAULTY['RCV-11'], exchanges: id.startsWith('RCV') ? many : [] },
      ]),
    )
    expect((await write('html', all as Outcomes)).length).toBeLessThan(3_000_000)
  })
})

it('removes characters that XML or terminals do not allow', () => {
  for (const [text, written] of [
    ['\u0000\u0008\u001b[31m', '\\u0000\\u0008\\u001b[31m'],
    ['\ufffe\uffff\ud800', '\\ufffe\\uffff\\ud800'],
    ['\u202e\u2066\u200f', '\\u202e\\u2066\\u200f'],
    [']]><![CDATA[&#0;', ']]&gt;&lt;![CDATA[&amp;#0;'],
  ] as const)
    expect(escaped(text)).toBe(written)
})

it('JUnit: counts failures, errors and skipped checks in well-formed XML', async () => {
  const text = await write('junit')
  expect(text).toContain('tests="69" failures="4" errors="2" skipped="4"')
  expect(text.match(/<failure /g)).toHaveLength(4)
  const harmed = await write('junit', hostile, harm())
  expect(tagsOf(harmed)).toEqual([])
})

const WAIVER = { until: '2026-12-31', by: 'Jane', ticket: 'SHOP-12', because: 'not yet' }
const SEEN = pass('It was delivered once.', FAULTY['RCV-11']!.exchanges![0]!)

it('a waiver covers a failure up to its last day', () => {
  const profile = profileOfOptions({ profile: 'shop', waivers: { 'RCV-18': WAIVER } })
  const on = (day: string) => resultOf('RCV-18', fail('It is open.'), noEvidence(), profile, day)
  expect(on('2026-12-31')).toMatchObject({ verdict: 'waived', waiver: WAIVER })
  expect(on('2027-01-01')).toMatchObject({
    verdict: 'fail',
    waiver: null,
    observed: 'It is open. Its waiver (SHOP-12) ended on 2026-12-31.',
  })
})

it('names the failed check that explains a failure', () => {
  const fails = { verdict: 'fail' } as const
  const { checks } = sampleCertification({ 'RCV-2': fails, 'RCV-3': fails, 'RCV-17': fails, 'CLI-11': fails })
  const becauseOf = (isEager: boolean) =>
    Object.fromEntries(
      withCauses(checks, isEager)
        .filter(({ because }) => because !== null)
        .map(({ id, because }) => [id, because]),
    )
  expect(becauseOf(false)).toEqual({ 'RCV-3': 'RCV-2' })
  expect(becauseOf(true)).toEqual({ 'RCV-3': 'RCV-2', 'RCV-17': 'CLI-11' })
})

it('a pass without a deciding exchange is not seen', () => {
  expect(pass('There was no second payment.')).toMatchObject({ verdict: 'not_seen' })
})

describe('a waived check that passes', () => {
  const profile = profileOfOptions({
    profile: 'shop',
    waivers: { 'RCV-18': WAIVER },
  })
  const found = resultOf('RCV-18', SEEN, noEvidence(), profile, '2026-06-30')
  const told = (name: ReportName) => write(name, { 'RCV-18': found })

  it('is a failure in each format, with a hint', async () => {
    expect(found).toMatchObject({ verdict: 'fail', waiver: { because: 'not yet' } })
    const junit = await told('junit')
    expect(junit.match(/<failure /g)).toHaveLength(1)
    expect(junit).toContain('It passes although the profile waives it: remove the waiver.')
    const { tests } = JSON.parse(await told('ctrf')).results
    expect(tests.find(({ name }: { name: string }) => name.startsWith('RCV-18 ')).status).toBe('failed')
    expect(await told('html')).toContain('It passes: remove the waiver from the profile.')
  })

  it('makes the shop not ready and is the first fix', () => {
    const { checks } = sampleCertification({
      'RCV-18': found,
      'RCV-1': { verdict: 'inconclusive' },
      'RCV-22': { verdict: 'fail' },
    })
    const summary = summaryOf(checks)
    expect(summary).toMatchObject({ standing: 'not_ready', ready: false, fix_first: 'RCV-18' })
    expect(standingText(summary)).toBe('not ready')
  })
})

describe('the overall verdict', () => {
  const textOf = (outcomes: Outcomes) => summaryOf(sampleCertification(outcomes).checks).text

  it('rates lost goods or money worst', () => {
    const fail = { verdict: 'fail' } as const
    const { checks } = sampleCertification({ 'RCV-5': fail, 'RCV-7': fail, 'RCV-17': fail })
    expect(summaryOf(checks).fix_first).toBe('RCV-17')
  })

  it('lists unseen and excused checks', () => {
    expect(textOf({})).toBe('Ready: every applicable mandatory check passes.')
    expect(textOf({ 'RCV-5': { verdict: 'waived' }, 'SEC-4': { verdict: 'fail' } })).toBe(
      'Ready with 1 waiver: every other mandatory check passes; 1 recommended check fails.',
    )
    expect(textOf({ 'RCV-9': { verdict: 'not_seen' }, 'SEC-2': { verdict: 'not_applicable' } })).toBe(
      'So far: no mandatory check fails, 1 of 43 was not seen.',
    )
  })

  it('is open so far if only some checks were selected', () => {
    const checks = sampleCertification().checks.filter(({ group }) => group === 'CLI')
    expect(summaryOf(checks).text).toBe('So far: every selected mandatory check passes.')
  })
})

it('CTRF: the counts match the list', async () => {
  const { results, reportFormat } = JSON.parse(await write('ctrf', hostile, harm()))
  expect(reportFormat).toBe('CTRF')
  const { tests, passed, failed, skipped, pending, other } = results.summary
  expect(passed + failed + skipped + pending + other).toBe(tests)
  expect(results.tests).toHaveLength(tests)
  expect(results.tests.filter((each: { status: string }) => each.status === 'failed')).toHaveLength(failed)
  for (const each of results.tests) {
    expect(Number.isInteger(each.duration)).toBe(true)
    expect(each.suite).toHaveLength(1)
  }
})

it('CSV: one line per check, without spreadsheet formulas', async () => {
  const lines = (await write('csv', hostile, { subject: '=cmd|/c calc' })).trimEnd().split('\r\n')
  expect(lines).toHaveLength(70)
  expect(lines[0]).toBe('subject,case,objective,expected,actual,result,level')
  for (const line of lines.slice(1)) expect(line).toMatch(/^'=cmd\|\/c calc,[A-Z]{3}-\d+,/)
})

it('Markdown: tables stay intact, and nobody is mentioned', async () => {
  const text = await write('markdown', hostile, { subject: HOSTILE })
  for (const line of text.split('\n').filter((each) => each.startsWith('| RCV-')))
    expect(line.match(/\|/g)).toHaveLength(5)
  expect(text).not.toMatch(/<script|<img|<h1|@everyone|\]\(javascript|https?:\/\/evil/)
  expect(text).toMatch(/^## ❌ /)
  expect(await write('markdown', {})).toMatch(/^## ✅ shop-checkout: ready, 44 of 44 mandatory checks passed/)
})

it('the badge: readiness and the number of passed mandatory checks', async () => {
  expect(await write('badge')).toContain('payments certified: not ready · 40 of 44')
  expect(await write('badge', {})).toContain('payments certified: ready · 44 of 44')
})

it('JSON: complete, and valid against its schema', async () => {
  const certification = sampleCertification(hostile, harm())
  const text = await reports.json.write(certification)
  expect(certificationSchema().parse(JSON.parse(text))).toEqual(certification)
  expect(parse(text)).toEqual(certification)
})

const plain = (page: string) =>
  page
    .slice(page.indexOf('<body>'))
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,])/g, '$1')

/** What is open or closed too much in a text of XML. */
function tagsOf(xml: string): string[] {
  const open: string[] = []
  for (const [, end, name, alone] of xml.matchAll(/<(\/?)([\w]+)(?:\s+[\w-]+="[^"<]*")*\s*(\/?)>/g)) {
    if (end) {
      if (open.pop() !== name) return [`${name} is closed, and was not open`]
    } else if (!alone) open.push(name!)
  }
  const rest = xml.replace(/<\?xml[^>]*\?>/, '').replace(/<\/?[\w]+(?:\s+[\w-]+="[^"<]*")*\s*\/?>/g, '')
  return [...open, ...(/[<]/.test(rest) ? ['a sign of markup stands alone'] : [])]
}
