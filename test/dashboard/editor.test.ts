import { type Seen, checksOf, grouped, verdictOf } from '../../dashboard/core/scenario-files.ts'
import { type Schema, mendOf, offsetOf, painted, placeAt, proposalsFor } from '../../dashboard/core/yaml.ts'
import { describeOutcome } from '../../src/scenarios/decide.ts'
import { shippedScenarios } from '../../src/scenarios/load.ts'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const schema = JSON.parse(readFileSync('scenarios/scenario.schema.json', 'utf8')) as Schema

/** What is proposed where the text has a bar. */
function proposed(text: string): readonly string[] {
  const at = text.indexOf('|')
  const place = placeAt(text.replace('|', ''), at)
  return place ? proposalsFor(schema, place).map(({ word }) => word) : []
}

describe('completion', () => {
  it.each([
    ['ti|', ['title']],
    ['title: T\nthen:\n  sett|', ['settle']],
    ['title: T\nthen:\n  settle: { after: 3s, stat|', ['status']],
    ['title: T\nthen:\n  settle: { status: fai|', ['failed']],
    ['title: T\nwhen:\n  direction: pay|', ['payin', 'payout']],
    ['title: T\nwhen:\n  operation: [createCollection, createW|', ['createWithdrawal']],
    ['title: T\nsteps:\n  - then: { delay: 1s }\n  - the|', ['then']],
    ['title: T\nsteps:\n  - then:\n      settle: { status: fail|', ['failed']],
    ['title: T\n# then: sett|', []],
    ['title: then sett|', []],
  ])('%j', (text, words) => {
    expect(proposed(text)).toEqual(words)
  })

  it('suggests everything allowed at an empty place', () => {
    expect(proposed('title: T\nthen:\n  |')).toEqual(
      expect.arrayContaining(['settle', 'respond', 'callback']),
    )
  })
})

describe('a painted line', () => {
  const text = (line: string, marks?: number[]) =>
    painted(line, marks).map(({ text: each, is, wrong }) => `${each}:${is}${wrong ? '!' : ''}`)

  it('colours words by kind', () => {
    expect(text(`  settle: { after: 3s } # so`)).toEqual([
      '  :plain',
      'settle:key',
      '::sign',
      ' :plain',
      '{:sign',
      ' :plain',
      'after:key',
      '::sign',
      ' :plain',
      '3s:number',
      ' :plain',
      '}:sign',
      ' :plain',
      '# so:comment',
    ])
  })

  it('marks errors', () => {
    expect(text('status: fail', [8])).toEqual(['status:key', '::sign', ' :plain', 'fail:plain!'])
    expect(text('then:', [5])).toEqual(['then:key', '::sign', ' :plain!'])
    expect(text('', [0])).toEqual([' :plain!'])
  })

  it('joins to the original text', () => {
    const line = `when: { party: "07\\"1", a: 'x' } # <b>é💸`
    expect(
      painted(line)
        .map(({ text: each }) => each)
        .join(''),
    ).toBe(line)
  })
})

describe('an offset from line and column', () => {
  it.each([
    [1, 1, 0],
    [2, 3, 5],
    [2, 99, 6],
    [9, 1, 6],
  ])('%i:%i', (line, column, at) => {
    expect(offsetOf('ab\ncde', line, column)).toBe(at)
  })

  it('finds the suggested word', () => {
    const text = 'when:\n  body.phone_numbr: x'
    const message =
      '"phone_numbr" is not a field of the body of createCollection (did you mean phone_number?)'
    const mend = mendOf(text, { line: 2, column: 3, message })!
    expect(text.slice(0, mend.from) + mend.word + text.slice(mend.to)).toBe('when:\n  body.phone_number: x')
    expect(mendOf(text, { line: 1, column: 1, message: 'title is required' })).toBeUndefined()
  })
})

describe('expectations of a scenario file', () => {
  const seen: Seen = { status: 201, body: {}, transaction: undefined, callbacks: [], owes: true }
  const states = (expected: object, change: Partial<Seen> = {}) =>
    checksOf({ expect: { ...expected } }, { ...seen, ...change }).map(({ state }) => state)

  it.each<[string, object, Partial<Seen>, string]>([
    ['an answer', { response: 201 }, {}, 'good'],
    ['another answer', { response: 503 }, {}, 'bad'],
    ['a body', { response: { status: 201, body: { a: 1 } } }, { body: { a: 1, b: 2 } }, 'good'],
    ['a cut', { response: 'cut' }, { status: undefined }, 'good'],
    ['an end that is awaited', { status: 'failed' }, {}, 'wait'],
    ['an end that came', { status: 'failed' }, { transaction: { status: 'FAILED', reason: null } }, 'good'],
    ['an end that never comes', { status: 'failed' }, { owes: false }, 'bad'],
    ['a callback', { callbacks: ['failed'] }, { callbacks: [{ status: 'failed', id: 1 }] }, 'good'],
    ['no callback, while one may come', { callbacks: [] }, {}, 'wait'],
    ['no callback', { callbacks: [] }, { owes: false }, 'good'],
    ['what only the command line looks at', { ledger: { wallet: 0 } }, {}, 'not looked at'],
  ])('%s', (_, expected, change, state) => {
    expect(states(expected, change)).toEqual([state])
  })

  it('have an overall result', () => {
    const check = (state: 'good' | 'bad' | 'wait' | 'not looked at') => ({
      what: '',
      wanted: '',
      got: '',
      state,
    })
    expect(verdictOf([check('good'), check('not looked at')])).toBe('good')
    expect(verdictOf([check('good'), check('wait')])).toBe('wait')
    expect(verdictOf([check('bad'), check('wait')])).toBe('bad')
    expect(verdictOf([])).toBe('not looked at')
  })
})

it('groups scenarios, a world’s own first', () => {
  const scenario = (name: string, outcome: string, operations: string[], source = '') => ({
    name,
    outcome,
    operations,
    source,
  })
  const groups = grouped([
    scenario('payer-cancels', 'fails (cancelled) after 3s', ['createCollection', 'createGlobalPayment']),
    scenario('daily-limit', 'fails (daily_limit) after 3s', ['createWithdrawal', 'createGlobalPayment']),
    scenario('mine', 'fails', ['createCollection'], 'this world'),
  ])
  expect(groups.map(([title]) => title)).toEqual(['Custom', 'Failing pay-ins', 'Failing payouts'])
})

it('groups shipped scenarios that change the result later under Delays', () => {
  const names = ['late-success', 'final-at-third-status-query', 'stuck-without-callback']
  const shipped = shippedScenarios()
    .filter(({ name }) => names.includes(name))
    .map(({ name, operations, script }) => ({
      name,
      operations: [...operations],
      source: 'shipped',
      outcome: script.kind === 'then' ? describeOutcome(script.outcome) : '',
    }))
  expect(grouped(shipped as never).map(([title]) => title)).toEqual(['Delays'])
})
