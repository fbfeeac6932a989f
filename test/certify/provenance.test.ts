/** What of a record proves something of the shop: what it did itself, in this world. */
import { expect, it } from 'vitest'
import { worldAt } from '../../src/cli/world-command.ts'
import { judgeRecord } from '../../src/certify/judge-record.ts'
import { recordText } from '../../src/certify/reports/words.ts'
import { reports } from '../../src/certify/reports/reports.ts'
import { certificationSchema } from '../../src/certify/schema.ts'
import { certificationText } from '../../src/cli/certify-text.ts'
import { createSandbox } from '../../src/index.ts'
import { pay as payByAgent } from '../../src/mcp/pay.ts'
import { startSandbox } from '../support/sandbox.ts'
import { sampleCertification } from './sample.ts'
import { NOTHING_IMPORTED } from '../../src/worlds/snapshots.ts'

const { world } = await startSandbox()
const PATH = '/sandbox/certification'
const agent = { 'user-agent': 'shop/1.0' }

const payment = (external_reference: string, callback_url: string, change: object = {}) => ({
  amount: 1000,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  external_reference,
  callback_url,
  ...change,
})

interface Judged {
  readonly checks: readonly { readonly id: string; readonly verdict: string }[]
  readonly record: {
    readonly evaluated: Record<string, number>
    readonly excluded: Record<string, number>
    readonly discarded: number
  }
}

/** A world, how it pays, and what is proved in it. */
function shop() {
  const w = world()
  const pay = (reference: string, { to = w.callback_url, headers = agent, change = {} } = {}) =>
    w.post('/api/v2/payments', payment(reference, to, change), headers)
  const proved = async () => {
    const { body } = await w.get(PATH)
    const { checks, record } = body as Judged
    return { record, ids: checks.filter(({ verdict }) => verdict !== 'not_seen').map(({ id }) => id) }
  }
  return { ...w, pay, proved }
}

/** One payment that succeeded and one that failed, and both callbacks taken. */
async function rehearsed() {
  const w = shop()
  await w.pay('order-1')
  await w.pay('order-2', { change: { phone_number: '0700000002' } })
  await w.settle()
  return w
}

it('requests of the shop count', async () => {
  const { ids, record } = await (await rehearsed()).proved()
  expect(ids).toEqual(expect.arrayContaining(['RCV-20', 'RCV-21', 'CLI-1', 'ONB-1', 'ONB-2']))
  expect(record).toMatchObject({
    evaluated: { requests: 2, transactions: 2, callbacks: 2 },
    excluded: { requests: 0, transactions: 0, callbacks: 0 },
    discarded: 0,
  })
})

it('imported requests do not count, even if the file claims otherwise', async () => {
  const { body: exported } = await (await rehearsed()).get('/sandbox/export')
  const state = exported.rows.state.filter(({ name }: { name: string }) => name !== 'initial_ids')
  for (const given of [
    [],
    [{ name: 'initial_ids', value: NOTHING_IMPORTED }],
    [{ name: 'initial_ids', value: 'x' }],
  ]) {
    const thief = shop()
    await thief.get(PATH)
    const changed = { ...exported, rows: { ...exported.rows, state: [...state, ...given] } }
    expect((await thief.post('/sandbox/import', changed)).status).toBe(200)
    const { ids, record } = await thief.proved()
    expect(ids).toEqual([])
    expect(record).toMatchObject({
      evaluated: { transactions: 0, callbacks: 0 },
      excluded: { transactions: 2, callbacks: 2 },
    })
    await thief.pay('order-3')
    await thief.settle()
    expect((await thief.proved()).ids).toContain('ONB-1')
  }
})

it('a payment that a file altered does not count', async () => {
  const w = shop()
  await w.pay('order-1', { change: { phone_number: '0700000002' } })
  await w.settle()
  const { body: exported } = await w.get('/sandbox/export')
  const [row] = exported.rows.transactions
  const improved = { ...row, status: 'SUCCESS', reason: null }
  await w.post('/sandbox/import', { ...exported, rows: { ...exported.rows, transactions: [improved] } })
  expect((await w.proved()).ids).not.toContain('ONB-1')
})

it('after a restored snapshot, receivers’ responses count and earlier requests do not', async () => {
  const w = await rehearsed()
  const { body: snapshot } = await w.post('/sandbox/snapshots', {})
  await w.post('/sandbox/import', (await w.get('/sandbox/export')).body)
  expect((await w.proved()).ids).toEqual([])
  await w.post(`/sandbox/snapshots/${snapshot.id}/restore`)
  expect((await w.proved()).ids).toEqual(['RCV-20', 'RCV-21'])
})

it('an invented history does not count, nor does it after a reset', async () => {
  const own = await createSandbox({ clock: 'frozen' })
  const made = await own.home.world({
    populate: { teams: 1, members: 1, transactions: 40, days: 20, seed: 7 },
  })
  for (const begin of [() => {}, () => made.reset()]) {
    await begin()
    const { checks, record } = await made.certification()
    expect(record.excluded.transactions).toBeGreaterThan(10)
    expect(record.evaluated.transactions).toBe(0)
    expect(checks.filter(({ verdict }) => verdict !== 'not_seen')).toEqual([])
  }
  await own.close()
})

it.each([
  ['the dashboard in a browser', { 'user-agent': 'Mozilla/5.0 (X11; Linux)' }],
  ['a page of another site', { origin: 'https://docs.example' }],
  ['a browser that hides its name', { 'sec-fetch-site': 'same-origin' }],
  ['the command line', { 'user-agent': 'payments-sandbox' }],
])('requests by %s do not count, nor do their effects', async (_, headers) => {
  const w = shop()
  await w.pay('order-1', { headers: headers as never })
  await w.settle()
  const { ids, record } = await w.proved()
  // The receiver answered all the same.
  expect(ids.filter((id) => !id.startsWith('RCV'))).toEqual([])
  expect(record).toMatchObject({ evaluated: { requests: 0, transactions: 0 }, excluded: { requests: 1 } })
})

it('the command line and MCP tools identify themselves', async () => {
  const seen: (string | null)[] = []
  const own = await createSandbox({ clock: 'frozen' })
  const url = await own.listen()
  const target = { url, username: 'demo', password: 'demo' }
  await worldAt(target).fetch('/api/v2/payment_channels')
  await worldAt(target).fetch('/api/v2/payment_channels')
  await payByAgent.run(own.home, { fields: {}, settle: true } as never)
  for (const { headers } of await own.home.requests.list())
    seen.push(headers.find(({ name }) => name === 'user-agent')?.value ?? null)
  expect(seen).toEqual(['payments-sandbox', 'payments-sandbox', 'payments-sandbox'])
  const { record } = await own.home.certification()
  expect(record).toMatchObject({ evaluated: { requests: 0, transactions: 0, callbacks: 0 } })
  await own.close()
})

it('the built-in inbox does not count as a receiver', async () => {
  const w = shop()
  const { body } = await w.get('/sandbox/inbox/dev')
  await w.pay('order-1', { to: body.address })
  await w.settle()
  const { ids, record } = await w.proved()
  expect(ids).toContain('CLI-1')
  expect(ids.filter((id) => /RCV|ONB/.test(id))).toEqual([])
  expect(record.evaluated).toEqual({ requests: 1, transactions: 1, callbacks: 0 })
})

it('a payment without a logged request does not count, and the report mentions it', async () => {
  const w = await rehearsed()
  await w.delete('/sandbox/requests')
  expect((await w.proved()).ids).not.toContain('ONB-1')
  await w.pay('order-3')
  const { record } = await w.proved()
  expect(record.discarded).toBe(2)
  expect(record.evaluated).toMatchObject({ requests: 1, transactions: 1 })
})

it('a payment whose response was lost belongs to the shop', async () => {
  const request = (status: number | null) => ({
    id: 'req_1',
    headers: [],
    body: { external_reference: 'order-1' },
    response: null,
    status,
  })
  const made = { id: 1, reference: 'UF1', external_reference: 'order-1', callback_url: '' }
  const recordWith = (status: number | null) =>
    ({ requests: [request(status)], transactions: [made], callbacks: [], kyc: [], invites: [] }) as never
  for (const [status, count] of [
    [null, 1],
    [504, 1],
    [400, 0],
  ] as const) {
    const { record } = await judgeRecord(recordWith(status), NOTHING_IMPORTED, false)
    expect(record.evaluated.transactions).toBe(count)
  }
})

it('is part of the signed data', async () => {
  const { body } = await (await rehearsed()).post('/sandbox/certifications', {})
  const { record } = JSON.parse(Buffer.from(body.payload, 'base64url').toString())
  expect(record).toMatchObject({ evaluated: { requests: 2 }, discarded: 0, initial_ids: NOTHING_IMPORTED })
})

it('is part of every report', async () => {
  const amounts = { requests: 3, transactions: 1, callbacks: 0 }
  const record = { evaluated: amounts, excluded: amounts, discarded: 7, initial_ids: NOTHING_IMPORTED }
  const passive = sampleCertification({}, { mode: 'passive', record })
  const said =
    'Judged: 3 requests, 1 transaction. Excluded because the shop did not cause them: 3 requests, 1 transaction. Earlier requests that are no longer in the log: 7.'
  expect(recordText(passive)).toBe(said)
  for (const name of ['html', 'markdown'] as const) expect(await reports[name].write(passive)).toContain(said)
  expect(certificationText(passive, false)).toContain(said)
  expect(certificationSchema().parse(passive)).toEqual(passive)
})

it('the terminal has one line for all checks that one failure explains', () => {
  const because = 'RCV-1'
  const found = sampleCertification({
    'RCV-1': { verdict: 'fail' },
    'RCV-2': { verdict: 'inconclusive', because },
    'RCV-3': { verdict: 'inconclusive', because },
    'RCV-20': { verdict: 'fail', because },
    'ONB-1': { verdict: 'not_seen', because },
  })
  const lines = certificationText(found, false).split('\n')
  expect(lines.filter((line) => line.includes('because'))).toEqual([
    '  ? RCV-2, RCV-3: inconclusive, because RCV-1 failed',
    '  ✗ RCV-20: failed, because RCV-1 failed',
    '  · ONB-1: not seen, because RCV-1 failed',
  ])
})
