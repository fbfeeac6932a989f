import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { headersOfTrace, readTrace } from '../../src/lib/text/headers.ts'
import { temporaryFolder } from '../support/folder.ts'
import { collection } from '../support/requests.ts'
import { startSandbox, type TestWorld } from '../support/sandbox.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`
const tracestate = 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7'

const { world: newWorld, answerOf } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

const pay = async (world: TestWorld, headers: Record<string, string> = {}) =>
  (await world.post('/api/v2/payments', collection(world), headers)).body.reference as string

/** The traces that arrived, as their headers have them. */
const traces = (world: TestWorld) =>
  world.callbacks().map(({ headers }) => ({ of: headers['traceparent'], state: headers['tracestate'] }))

describe('a request with a trace', () => {
  it('has a callback in the same trace with a new span', async () => {
    const world = newWorld()
    await pay(world, { traceparent, tracestate })
    await world.settle()
    const [{ of, state } = { of: '' }] = traces(world)
    expect(of).toMatch(new RegExp(`^00-${TRACE}-[\\da-f]{16}-01$`))
    expect(of).not.toBe(traceparent)
    expect(state).toBe(tracestate)
  })

  it('has a new span for each attempt and each manual resend', async () => {
    let left = 2
    answerOf.next = () => ({ status: left-- > 0 ? 500 : 200, error: '' })
    const world = newWorld()
    const reference = await pay(world, { traceparent })
    await world.settle()
    await world.post('/sandbox/callbacks/1/resend')
    await world.post('/sandbox/callbacks/fire', { reference })
    await world.settle()
    const spans = traces(world).map(({ of }) => of!.slice(36, 52))
    expect(spans).toHaveLength(5)
    expect(traces(world).every(({ of }) => of!.slice(3, 35) === TRACE)).toBe(true)
    // The wall of these tests stands still, by which what is sent again is told from what was sent.
    expect(new Set(spans.slice(0, 3)).size).toBe(3)
    expect(traces(world).every(({ state }) => state === undefined)).toBe(true)
  })

  it('is shown in the timeline, the payment, the request log and the attempt', async () => {
    const world = newWorld()
    const reference = await pay(world, { traceparent })
    await world.settle()
    expect((await world.get(`/sandbox/transactions/${reference}/timeline`)).body.trace_id).toBe(TRACE)
    const { transaction, request } = (await world.get(`/sandbox/transactions/${reference}`)).body
    expect([transaction.trace_id, request.trace_id]).toEqual([TRACE, TRACE])
    expect((await world.get('/sandbox/requests')).body.requests[0].trace_id).toBe(TRACE)
    const { attempts } = (await world.get('/sandbox/callbacks/1')).body
    expect(attempts[0].request.headers.traceparent).toBe(traces(world)[0]!.of)
  })

  it('keeps its trace after restoring a snapshot and importing the rows', async () => {
    const world = newWorld()
    await pay(world, { traceparent, tracestate })
    const { id } = (await world.post('/sandbox/snapshots', {})).body
    await world.post('/sandbox/reset')
    await world.post(`/sandbox/snapshots/${id}/restore`)
    const exported = (await world.get('/sandbox/export')).body
    const other = newWorld()
    expect((await other.post('/sandbox/import', exported)).status).toBe(200)
    for (const each of [world, other]) await each.settle()
    expect(traces(world)).toHaveLength(2)
    for (const { of, state } of traces(world)) expect([of!.slice(3, 35), state]).toEqual([TRACE, tracestate])
  })

  it('rejects imported rows with traces that would inject headers', async () => {
    const world = newWorld()
    await pay(world, { traceparent })
    const exported = (await world.get('/sandbox/export')).body
    exported.rows.transactions[0].trace.tracestate = 'a=b\r\nx-evil: 1'
    const { status, body } = await world.post('/sandbox/import', exported)
    expect(status).toBe(400)
    expect(body.error_message).toContain('tracestate')
  })

  it('keeps its trace after a restart', async () => {
    const env = { SANDBOX_DB: join(temporaryFolder(), 'sandbox.json') }
    const before = await startSandbox(env)
    const reference = await pay(before.world(), { traceparent })
    await before.sandbox.close()
    const after = await startSandbox(env)
    const world = after.world()
    const { trace_id } = (await world.get(`/sandbox/transactions/${reference}/timeline`)).body
    expect(trace_id).toBe(TRACE)
  })
})

describe('a request without a trace', () => {
  it.each<[string, Record<string, string>]>([
    ['without the header', {}],
    ['with one that is malformed', { traceparent: 'x', tracestate }],
  ])('%s has a callback without a trace', async (_, headers) => {
    const world = newWorld()
    const reference = await pay(world, headers)
    await world.settle()
    expect(traces(world)).toEqual([{ of: undefined, state: undefined }])
    expect((await world.get(`/sandbox/transactions/${reference}/timeline`)).body).not.toHaveProperty(
      'trace_id',
    )
  })

  it('starts a trace for each payment if the world is set to do so', async () => {
    const world = newWorld()
    await world.patch('/sandbox/worlds/current', { trace_context: 'always' })
    await pay(world)
    await pay(world)
    await pay(world, { traceparent })
    await world.settle()
    const ids = traces(world).map(({ of }) => of!.slice(3, 35))
    expect(new Set(ids).size).toBe(3)
    expect(ids).toContain(TRACE)
    for (const { of } of traces(world)) expect(readTrace(of, undefined)).toBeDefined()
  })
})

/** https://www.w3.org/TR/trace-context/#traceparent-header */
describe('traceparent', () => {
  const ids = `${TRACE}-00f067aa0ba902b7`
  it.each([
    [`00-${ids}-00`, `00-${ids}-00`],
    [`00-${ids}-01`, `00-${ids}-01`],
    [` 00-${ids}-01 `, `00-${ids}-01`],
    // Flags that version 00 does not have are not passed on.
    [`00-${ids}-ff`, `00-${ids}-03`],
    // A later version is read as far as this one knows it.
    [`cc-${ids}-01`, `00-${ids}-01`],
    [`cc-${ids}-01-what-the-future-adds`, `00-${ids}-01`],
  ])('%j is %j', (sent, read) => {
    expect(readTrace(sent, undefined)).toEqual({ traceparent: read })
  })

  it.each([
    undefined,
    '',
    `ff-${ids}-01`,
    `00-${ids}-01-more`,
    `cc-${ids}-01.more`,
    `00-${ids}`,
    `00-${ids}-0`,
    `0-${ids}-01`,
    `00-${ids.toUpperCase()}-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${ids}-0x`,
    `00-${ids}-01, 00-${ids}-01`,
    'x'.repeat(100_000),
  ])('%j is ignored', (sent) => {
    expect(readTrace(sent, tracestate)).toBeUndefined()
  })
})

/** https://www.w3.org/TR/trace-context/#tracestate-header */
describe('tracestate', () => {
  const stateOf = (text: string) => readTrace(traceparent, text)?.tracestate
  it.each([
    [tracestate, tracestate],
    [' a=1 ,, b=2\t', 'a=1,b=2'],
    ['tenant@system=x/y z', 'tenant@system=x/y z'],
  ])('%j is %j', (sent, read) => expect(stateOf(sent)).toBe(read))

  it.each([
    '',
    ',',
    'a',
    'A=1',
    'a=',
    'a=1,a=2',
    'a=b=c',
    'a=b\u0001',
    'a=é',
    Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(','),
  ])('%j is dropped, and the trace stays', (sent) => {
    expect(readTrace(traceparent, sent)).toEqual({ traceparent })
  })

  it('that is too long loses its long members first, then the last ones', () => {
    const short = Array.from({ length: 9 }, (_, n) => `k${n}=${'x'.repeat(90)}`)
    expect(stateOf(['long=' + 'y'.repeat(200), ...short].join(','))).toBe(short.slice(0, 5).join(','))
  })
})

it('callbacks of a trace have its flags and a new span each time', () => {
  const trace = readTrace(traceparent, undefined)!
  const [one, other] = [headersOfTrace(trace, 'a'), headersOfTrace(trace, 'b')]
  expect(one).toEqual(headersOfTrace(trace, 'a'))
  expect(one['traceparent']).not.toBe(other['traceparent'])
})
