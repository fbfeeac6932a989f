import { describe, expect, it } from 'vitest'
import { conditionsOf } from '../../../src/scenarios/when/when.ts'
import { libraryOf, libraryIn, noState, prepareScenarios } from '../../../src/scenarios/library.ts'
import {
  beginLook,
  bytesOfPrograms,
  testOf,
  loadPatterns,
  patternIssue,
  patternsIssue,
} from '../../../src/scenarios/when/patterns.ts'
import type { Condition } from '../../../src/scenarios/scenario.ts'
import { collection } from '../../support/requests.ts'
import { refused, startSandbox } from '../../support/sandbox.ts'

await loadPatterns()

const texts = [
  '',
  'order-7',
  'ORDER-7',
  'an order-7 b',
  'order-٣',
  'a\nb',
  'a\r\nb',
  'a\u2028b',
  'a\u00a0b',
  '\ufeff',
  '\v',
  'naïve café',
  'Ωmega',
  'x😀y',
  '63902',
  '+254 712-345678',
  'jane.doe@shop.example',
  '[a] {b} (c) $5 ^ | \\ / . * + ?',
  'aaaa',
  'A1_b2',
  '\b\0\t\x0a',
  '2026-06-30T00:44:53Z',
  '5f0c1d2e-3a4b-5c6d-7e8f-9a0b1c2d3e4f',
]

describe('a pattern', () => {
  it.each([
    'order-7',
    '^order-\\d+$',
    '^order-\\d{1,3}$',
    'order-[^7]',
    '^(?:order|invoice)-(\\d)$',
    '(?<word>\\w+)@(?<host>[\\w.-]+)\\.example$',
    '^[\\w.+-]+@[a-z]+\\.[a-z]{2,}$',
    '^\\+?254[ -]?7\\d{2}-?\\d{6}$',
    '^\\d{4}-\\d{2}-\\d{2}T[\\d:]{8}Z$',
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    '.',
    '^.$',
    '^a.b$',
    '^a.{2}b$',
    'a[^]b',
    '[]',
    '^x.y$',
    '^x[^a]y$',
    '\\u{1F600}',
    '\\uD83D\\uDE00',
    '\\u00ef',
    '\\x41',
    '\\cJ',
    '\\0',
    '[\\b]',
    '\\bcaf',
    'caf\\b',
    '\\Bve',
    '\\s',
    '^\\s$',
    '^\\S+$',
    'a\\sb',
    '[\\s\\d]',
    '[^\\S]',
    '^[\\S]+$',
    '[\\d\\-]',
    '[[\\]]',
    '[(?:{|$^]',
    '\\[a\\] \\{b\\} \\(c\\) \\$5 \\^ \\| \\\\ \\/ \\. \\* \\+ \\?',
    '\\p{Lu}',
    '^\\P{L}+$',
    '\\p{Script=Greek}',
    '[\\p{L}\\d]{5}',
    '^$',
    '',
    'a{2}',
    '^a{2,3}$',
    '^a{5,}$',
    'a*?a+?$',
    '^(a|aa)+$',
    '\\d|[A-Z]{2}',
    '^(\\d+|o.*)$',
    '\\v',
    '\\t\\n',
  ])('%s matches what JavaScript matches', (pattern) => {
    const expression = new RegExp(pattern, 'u')
    const fits = testOf(pattern)
    expect(texts.filter((text) => fits(text))).toEqual(texts.filter((text) => expression.test(text)))
  })

  // Engines that go back over the text would not come to the end of these.
  it.each(['^(a+)+$', '(x+x+)+y', '^(a|a)*$', '^(\\w+\\s?)*$', '(.*)*b$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s runs in linear time',
    (pattern) => {
      expect(testOf(pattern)(`${'a'.repeat(20_000)}!`)).toBe(false)
    },
  )

  it('does not match a text that would take too many steps', () => {
    const fits = testOf('[ab]{1,500}c$')
    expect(fits('abc')).toBe(true)
    expect(fits(`${'ab'.repeat(50_000)}c`)).toBe(false)
  })

  it('shares the steps of a request with all others', () => {
    const patterns = [testOf('[ab]{9}c'), testOf('[ab]{8}c')] as const
    const text = `${'ab'.repeat(3_000)}c`
    beginLook()
    expect(patterns.map((fits) => fits(text))).toEqual([true, false])
    beginLook()
    expect(patterns.toReversed().map((fits) => fits(text))).toEqual([true, false])
  })

  it('is rejected if a set of conditions is too large together', () => {
    const slow = (count: number) => ({ not: { matches: `[ab]{${count}}c` } })
    expect(patternsIssue({ reference: slow(900), party: slow(900) })).toBeUndefined()
    expect(patternsIssue({ reference: slow(900), party: { ...slow(900), matches: 'a{900}' } })).toMatch(
      /^has patterns that are too large together: about \d+ parts, at most 2000$/,
    )
  })

  it.each([
    ['(', 'is not a regular expression: missing closing ): ('],
    ['[z-a]', 'is not a regular expression: invalid character class range: z-a'],
    ['a**', 'is not a regular expression: invalid nested repetition operator: **'],
    ['\\', 'is not a regular expression: trailing backslash at end of expression'],
    ['(?=a)b', /^has a look-ahead, \(\?=, which is not supported: patterns use RE2, /],
    ['a(?!b)', /^has a look-ahead, \(\?!, /],
    ['(?<=a)b', /^has a look-behind, \(\?<=, /],
    ['(?<!a)b', /^has a look-behind, \(\?<!, /],
    ['(a)\\1', /^has a back-reference, \\1, /],
    ['(?<n>a)\\k<n>', /^has a back-reference, \\k<, /],
    ['((a{100}){100}){100}', 'is too large: about 1030301 parts with its repetitions expanded, at most 2000'],
    ['\\pL{1000}', /^is too large/],
  ])('%s is rejected', (pattern, message) => {
    const fault = patternIssue(pattern)!
    expect(fault.startsWith(JSON.stringify(pattern))).toBe(true)
    const said = fault.slice(JSON.stringify(pattern).length + 1)
    expect(typeof message === 'string' ? said === message : message.test(said)).toBe(true)
  })

  it('matches nothing if an earlier version accepted it and this one rejects it', () => {
    const [{ holds }] = conditionsOf({ reference: { matches: '(?=a)' } }) as [Condition]
    expect(holds('a')).toBe(false)
  })

  it('is rejected if too long, with a shortened message', () => {
    const fault = patternIssue('a'.repeat(1_001))!
    expect(fault).toMatch(/… *" is too long: 1001 characters, at most 1000$/)
    expect(fault.length).toBeLessThan(200)
  })
})

describe('the programs of patterns', () => {
  it('are compiled on first use, once for equal texts', () => {
    const tests = [testOf('only here{40}'), testOf('only here{40}')] as const
    const before = bytesOfPrograms()
    tests[0]('x')
    const compiled = bytesOfPrograms()
    expect(compiled).toBeGreaterThan(before)
    tests[1]('x')
    expect(bytesOfPrograms()).toBe(compiled)
  })

  it('take at most 32 MB for all worlds, and are recompiled after eviction', () => {
    const tests = Array.from({ length: 150 }, (_, n) => testOf(`^x{500}y${n}$`))
    const fitting = tests.filter((fits, n) => {
      beginLook()
      return fits(`${'x'.repeat(100)}y${n}`)
    })
    expect(fitting).toEqual([])
    expect(bytesOfPrograms()).toBeGreaterThan(30_000_000)
    expect(bytesOfPrograms()).toBeLessThanOrEqual(33_554_432)
    expect(testOf('order{40}')('orde' + 'r'.repeat(40))).toBe(true)
  })

  it('are compiled in time slices when a world opens, before its first request', async () => {
    const file = (n: number) => ({ title: 'M', when: { reference: { matches: `a{80}b${n}` } }, then: {} })
    const files = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`own-${n}`, file(n)]))
    const state = { ...noState, files }
    let turns = 0
    const turn = () => {
      turns++
      next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    await prepareScenarios('demo', state)
    clearImmediate(next)
    expect(turns).toBeGreaterThan(1)
    const compiled = bytesOfPrograms()
    for (const { conditions } of libraryIn(libraryOf([]), state).byName.values())
      expect(conditions!.every(({ holds }) => holds('b'))).toBe(false)
    expect(bytesOfPrograms()).toBe(compiled)
  })
})

describe('over the wire', async () => {
  const { world } = await startSandbox()
  const endless = '^(a+)+$'

  it('returns 200 for one that would block a backtracking engine for hours', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w, { external_reference: `${'a'.repeat(60)}!` }))
    expect((await w.post('/sandbox/requests/count', { reference: { matches: endless } })).body.count).toBe(0)
    await w.put('/sandbox/scenarios/mine', {
      title: 'M',
      when: { reference: { matches: endless } },
      then: { delay: '1s' },
    })
    const again = await w.post(
      '/api/v2/payments',
      collection(w, { external_reference: `${'a'.repeat(60)}!` }),
    )
    expect(again.headers.get('sandbox-outcome')).not.toMatch(/delayed/)
  })

  it('returns 400 with the field, or with file, line and column', async () => {
    const w = world()
    expect(
      await w.post('/sandbox/requests/find', { 'body.customer.email': { not: { matches: '(?=x)' } } }),
    ).toMatchObject(
      refused(400, 'invalid_argument', /^body\.customer\.email\.not\.matches: "\(\?=x\)" has a look-ahead/),
    )
    const text = 'title: M\nwhen:\n  reference: { matches: "(.)\\\\1" }\nthen: { delay: 1s }\n'
    expect(
      await w.put('/sandbox/scenarios/mine', text, { 'content-type': 'application/yaml' }),
    ).toMatchObject(refused(400, 'invalid_argument', /^mine:3:25 "\(\.\)\\\\1" has a back-reference, \\1, /))
  })

  it('returns 429 with the field and size if the world has no room for the program', async () => {
    const small = (await startSandbox({ SANDBOX_WORLD_SCENARIOS: '100KB' })).world()
    const file = {
      title: 'M',
      when: { reference: { matches: '(a|b){1,50}(c|d){1,50}' } },
      then: { delay: '1s' },
    }
    expect(await small.put('/sandbox/scenarios/mine', file)).toMatchObject(
      refused(
        429,
        'resource_exhausted',
        /^scenarios of this world: .*SANDBOX_WORLD_SCENARIOS.*; when\.reference\.matches compiles to 3\d\d\.?\d*KB$/,
      ),
    )
    const w = world()
    await w.put('/sandbox/scenarios/mine', file)
    const item = (await w.get('/sandbox/worlds/current')).body.budget.find(
      ({ name }: { name: string }) => name === 'scenarios',
    )
    expect(item.used).toBeGreaterThan(200_000)
    await small.get('/sandbox/ledger')
    expect(await small.post('/sandbox/import', (await w.get('/sandbox/export')).body)).toMatchObject(
      refused(429, 'resource_exhausted', /^scenarios of this world: /),
    )
  })

  it('returns 400 for an import with a rejected pattern', async () => {
    const w = world()
    const file = { title: 'M', when: { reference: { matches: 'a' } }, then: { delay: '1s' } }
    await w.put('/sandbox/scenarios/mine', file)
    const { body } = await w.get('/sandbox/export')
    const state = body.rows.state.find(({ name }: { name: string }) => name === 'scenarios')
    state.value.files.mine.when.reference.matches = '(?!x)'
    expect(await w.post('/sandbox/import', body)).toMatchObject(
      refused(
        400,
        'invalid_argument',
        /^the scenario mine in rows\.state: when\.reference\.matches: "\(\?!x\)" has a look-ahead/,
      ),
    )
    state.value.files.mine.when.reference.matches = 'b'
    expect((await w.post('/sandbox/import', body)).status).toBe(200)
    state.value = { on: 'all' }
    expect(await w.post('/sandbox/import', body)).toMatchObject(
      refused(400, 'invalid_argument', /on must be a list, got "all"/),
    )
  })
})
