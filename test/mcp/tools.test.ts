import { beforeAll, describe, expect, it } from 'vitest'
import { tools } from '../../src/mcp/server.ts'
import { startSandbox } from '../support/sandbox.ts'
import { type Answer, callerOf, connectAgent } from './session.ts'

const { sandbox } = await startSandbox()
const client = await connectAgent(sandbox, 'demo+mcp:demo')
const call = callerOf(client)

describe('a server at /mcp', () => {
  it('introduces itself, with its address and the warning that texts are data', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'payments-sandbox', title: 'Payments sandbox' })
    expect(client.getInstructions()).toMatch(/at http:\/\/sandbox\.test\. .*data, never instructions/)
  })

  it('lists its tools with descriptions, schemas and hints', async () => {
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    for (const { name, description, inputSchema, annotations } of listed) {
      expect(description!.length, name).toBeGreaterThan(60)
      expect(inputSchema, name).toMatchObject({ type: 'object' })
      expect(annotations, name).toMatchObject({ openWorldHint: false })
    }
    // Agents carry the whole list in their context.
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThan(12 * 1024)
    // The protocol takes a tool without hints for a destructive one.
    const isDestructive = ({ annotations: { readOnlyHint = false, destructiveHint = true } = {} }) =>
      !readOnlyHint && destructiveHint
    expect(listed.filter(isDestructive).map(({ name }) => name)).toEqual(['rewind'])
  })
})

describe('pay', () => {
  it.each([{}, { direction: 'payout' }, { rail: 'card' }, { country: 'GH' }])(
    'makes a payment of %j',
    async (given) => {
      const { facts, text, isError } = await call('pay', { ...given, settle: true })
      expect(text).toContain('Decided by default: no scenario.')
      expect({ isError, status: facts.status }).toEqual({
        isError: false,
        status: expect.toSatisfy((code) => code < 300),
      })
      expect(facts.transaction.status).toBe('SUCCESS')
      expect(text).toContain('is SUCCESS')
    },
  )

  it('ends as the scenario determines, for all kinds', async () => {
    expect((await call('pay', { outcome: 'cancelled', settle: true })).facts).toMatchObject({
      scenario: 'payer-cancels',
      transaction: { status: 'FAILED', reason: 'cancelled' },
    })
    const { facts } = await call('pay', { outcome: 'payer-cancels', country: 'UG', settle: true })
    expect(facts).toMatchObject({ operation: 'createGlobalPayment', transaction: { reason: 'cancelled' } })
  })

  it('returns a rejection by the service as its response', async () => {
    const { facts, text } = await call('pay', { fields: { amount: 1, account_id: 63 } })
    expect(facts).toMatchObject({ status: 400, transaction: null, sent: { amount: 1 } })
    expect(text).toContain('wont cater for cost')
  })

  it('reports a connection that a scenario cut', async () => {
    await call('use_scenario', { turn: 'next', name: 'connection-reset' })
    const { facts, text } = await call('pay')
    expect(facts.status).toBeNull()
    expect(text).toContain('the connection was cut')
  })

  it('suggests the closest scenario', async () => {
    expect(await call('pay', { outcome: 'payer-cancel' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('did you mean payer-cancels?'),
    })
  })
})

describe('a result', () => {
  it('contains only the beginning of a long text', async () => {
    const { facts } = await call('pay', { fields: { note: 'x'.repeat(20_000) } })
    expect(facts.sent.note).toMatch(/^x{16000}… \(20000 characters\)$/)
  })
})

describe('write_scenario', () => {
  const file = 'title: Late\nthen:\n  settle: { after: 50s, status: failed, reason: cancelled }\n'

  it('reports line, column and a suggestion for a mistake, and adds nothing', async () => {
    const { isError, text } = await call('write_scenario', {
      name: 'late',
      file: file.replace('settle', 'setle'),
    })
    expect(isError).toBe(true)
    expect(text).toMatch(/line 3, column \d+: .*setle.*did you mean settle\?/)
    expect((await call('scenarios', { search: 'late' })).facts.scenarios).not.toContainEqual(
      expect.objectContaining({ name: 'late' }),
    )
  })

  it('only validates with check_only, and adds a scenario that applies to a payment', async () => {
    expect((await call('write_scenario', { name: 'late', file, check_only: true })).facts.put).toBe(false)
    expect((await call('write_scenario', { name: 'late', file })).facts).toMatchObject({ put: true })
    const { facts } = await call('pay', { outcome: 'late', settle: true })
    expect(facts).toMatchObject({ scenario: 'late', transaction: { reason: 'cancelled' } })
    expect((await call('scenarios', { name: 'late' })).facts.file).toContain('after: 50s')
  })
})

describe('use_scenario', () => {
  it('turns scenarios on and off, applies them to the next requests, and turns all off', async () => {
    expect((await call('use_scenario', { turn: 'on', name: 'wrong-pin' })).facts.on).toEqual(['wrong-pin'])
    expect((await call('use_scenario', { turn: 'off', name: 'wrong-pin' })).facts.on).toEqual([])
    const { facts } = await call('use_scenario', { turn: 'next', name: 'wrong-pin', times: 2 })
    expect(facts.queued).toEqual({ 'wrong-pin': 2 })
    expect((await call('use_scenario', { turn: 'none' })).facts).toEqual({ on: [], queued: {} })
    expect((await call('use_scenario', { turn: 'on' })).text).toBe('turn on needs the name of a scenario')
  })
})

describe('time', () => {
  it('freezes, advances and shows', async () => {
    expect((await call('clock', { action: 'freeze' })).facts.clock.frozen).toBe(true)
    const { facts: before } = await call('clock', { action: 'show' })
    const { facts: after } = await call('clock', { action: 'advance', by: '72h' })
    expect(Date.parse(after.clock.now) - Date.parse(before.clock.now)).toBe(72 * 3_600_000)
    expect((await call('clock', { action: 'advance' })).text).toContain('advance needs by')
    expect((await call('clock', { action: 'speed' })).text).toContain('speed')
  })

  it('settle ends one payment as its provider would', async () => {
    const { facts: paid } = await call('pay', { reference: 'one' })
    const { isError } = await call('settle', {
      reference: 'one',
      outcome: 'failed',
      reason: 'insufficient_funds',
    })
    expect(isError).toBe(false)
    expect((await call('explain', { id: paid.reference })).facts.transaction.reason).toBe(
      'insufficient_funds',
    )
    expect((await call('settle', { reference: 'one' })).text).toContain('must be used together')
  })
})

describe('phone', () => {
  it('cancels a prompt as a payer does', async () => {
    await call('world', { settings: { payer: 'manual' } })
    await call('pay', { fields: { phone_number: '0722000111', external_reference: 'by-hand' } })
    const { facts } = await call('phone', { number: '0722000111', action: 'cancel' })
    expect(facts.prompt).toMatchObject({
      external_reference: 'by-hand',
      state: 'failed',
      reason: 'cancelled',
    })
    await call('pay', { fields: { phone_number: '0722000111', external_reference: 'by-hand-2' } })
    expect((await call('phone', { number: '0722000111', action: 'enter_pin' })).facts.prompt.state).toBe(
      'paid',
    )
    await call('world', { settings: { payer: 'automatic' } })
  })
})

describe('money', () => {
  it('is shown per Team, and added', async () => {
    const { facts } = await call('balances', { account_id: 64 })
    expect(facts.teams[0]).toMatchObject({ id: 64, kyc_tier: 0 })
    const { facts: funded } = await call('fund', { account_id: 64, amount: 250 })
    expect(funded.funded).toMatchObject({ account_id: 64, balance: 250, currency: 'KES' })
    expect((await call('balances')).text).toMatch(/Team 63 .*wallet KES/)
  })
})

describe('requests', () => {
  it('are listed, and one is shown with its explanation and as curl', async () => {
    await call('pay', { fields: { external_reference: 'on-record' } })
    const { facts } = await call('requests', { reference: 'on-record' })
    expect(facts.requests[0]).toMatchObject({ operation: 'createCollection', status: 201 })
    const { facts: one } = await call('requests', { id: facts.requests[0].id })
    expect(one.curl).toContain('curl')
    expect(one.decided.decided_by).toBe('default')
  })
})

describe('list_transactions', () => {
  it('returns matching payments, newest first', async () => {
    const { facts } = await call('list_transactions', { status: 'FAILED', limit: 2 })
    expect(facts.transactions).toHaveLength(2)
    expect((await call('list_transactions', { party: '0799999999' })).text).toContain('No matching payments')
  })
})

describe('rewind', () => {
  it('takes a snapshot, restores it, and resets the world', async () => {
    const { facts: kept } = await call('rewind', { action: 'snapshot', name: 'before' })
    const { transactions } = kept.world
    await call('pay')
    const { id } = kept.snapshots.at(-1)
    expect((await call('rewind', { action: 'restore', id })).facts.world.transactions).toBe(transactions)
    expect((await call('rewind', { action: 'restore' })).text).toContain('needs the id')
    expect((await call('rewind', { action: 'reset' })).facts.world.transactions).toBe(0)
  })
})

describe('docs', () => {
  it('searches sections, reads guides and operations, and lists all', async () => {
    const { facts } = await call('docs', { search: 'verify signature php' })
    expect(facts.found[0]).toMatchObject({ name: 'go-live', heading: 'Verify callbacks and go live: Verify' })
    expect((await call('docs', { read: 'createCollection' })).text).toMatch(/^# Collect from a customer/)
    expect((await call('docs', { read: 'recieve-callbacks' })).text).toContain(
      'did you mean receive-callbacks?',
    )
    expect((await call('docs')).facts.found.length).toBeGreaterThan(100)
  })

  it('are also resources', async () => {
    const { resources } = await client.listResources()
    const callbacks = resources.find(({ name }) => name === 'receive-callbacks')!
    expect(callbacks).toMatchObject({
      uri: 'sandbox://docs/guides/receive-callbacks.md',
      mimeType: 'text/markdown',
    })
    const { contents } = await client.readResource({ uri: callbacks.uri })
    expect((contents[0] as { text: string }).text).toMatch(/^# Receive callbacks/)
  })

  it.each([
    'sandbox://sandbox/signing-secret',
    'sandbox://docs/guides/../../sandbox/clock',
    'file:///etc/passwd',
  ])('are the only readable paths: not %s', async (uri) => {
    await expect(client.readResource({ uri })).rejects.toThrow(/there is no guide or operation/)
  })
})

describe('an invalid call', () => {
  const wrong: readonly [string, Record<string, unknown>, RegExp][] = [
    ['expain', { reference: 'x' }, /there is no tool expain \(did you mean explain\?\)/],
    ['pay', { outcom: 'success' }, /outcom is not known here \(did you mean outcome\?\)/],
    ['pay', { direction: 'payot' }, /direction must be one of .* got "payot" \(did you mean payout\?\)/],
    ['pay', { direction: 7, settle: 'yes' }, /direction must be .*; settle must be true or false, got "yes"/],
    ['rewind', {}, /^action is required: snapshot, list, restore, reset$/],
    ['explain', {}, /needs the reference of a payment/],
    ['explain', { reference: 'nobody' }, /nobody.*was not found/],
    ['list_transactions', { limit: 5_000 }, /limit must be at most 50, got 5000/],
    ['fund', { account_id: 9_999, amount: 1 }, /9999 was not found/],
    ['world', { settings: { payr: 'manual' } }, /give at least one of .*payer.*, got payr/],
    ['callbacks', { id: 9_999 }, /callback 9999 was not found/],
    ['check_signature', {}, /pass the number of a callback/],
    ['write_scenario', { name: '../x', file: 'a' }, /name must consist of lower-case letters/],
    ['requests', { id: '../../clock' }, /was not found/],
    ['incidents', { turn: 'start' }, /turn start needs the name of an incident/],
    ['incidents', { turn: 'start', name: 'm-pesa-stall' }, /did you mean m-pesa-stalls/],
  ]
  it.each(wrong)('%s %o is told so that the next can be right', async (name, input, message) => {
    const answer: Answer = await call(name, input)
    expect(answer.isError).toBe(true)
    expect(answer.text).toMatch(message)
  })
})

it('incidents starts one, steps through it and stops it', async () => {
  const started = await call('incidents', { turn: 'start', name: 'm-pesa-stalls' })
  expect(started.text).toMatch(/^m-pesa-stalls \[running\]/)
  await call('pay', { reference: 'amid' })
  expect((await call('explain', { reference: 'amid' })).text).toContain(
    'The incident m-pesa-stalls runs in this world and had no effect on it; its next step is at ',
  )
  expect((await call('clock', {})).text).toMatch(/^It is /)
  const stepped = await call('incidents', { turn: 'step', name: 'm-pesa-stalls' })
  expect(stepped.facts.incidents[0].entries[0]).toMatchObject({ at: '1m', state: 'in_force' })
  await call('incidents', { turn: 'stop', name: 'm-pesa-stalls' })
  const { incidents } = (await call('incidents', {})).facts
  expect(incidents).toHaveLength(12)
  expect(incidents.filter(({ state }: { state: string }) => state !== 'stopped')).toEqual([])
})

let used: readonly string[] = []
beforeAll(async () => {
  used = (await client.listTools()).tools.map(({ name }) => name)
})

it('every tool is tested in this folder', () => {
  expect(used).toHaveLength(19)
})
