/**
 * Sends a sandbox what nobody should send it, while others listen and wait, its clocks stand still and are moved on, and
 * worlds begin anew. Held: nothing that is thrown reaches the process, nothing is a fault of the sandbox, and every answer
 * is one that the description has.
 */
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { checkAnswer } from '../support/contract.ts'
import { ALL_SERVED } from '../support/descriptions.ts'
import { collection } from '../support/requests.ts'
import { createChance, type Chance } from './chance.ts'
import { edgeRequests } from './edges.ts'
import { type FuzzRequest, Known, makeRequest, operations } from './requests.ts'
import { spoilt } from './values.ts'

export interface Failure {
  readonly number: number
  readonly request: FuzzRequest
  readonly why: string
}

export interface Result {
  readonly cases: number
  readonly failures: readonly Failure[]
  /** How many answers had each status. */
  readonly statuses: ReadonlyMap<number, number>
  /** The longest that a case took, milliseconds, and which it was. */
  readonly slowest: { readonly ms: number; readonly request: FuzzRequest | undefined }
}

const NOON = Date.parse('2026-06-13T12:00:00Z')
const WORLDS = ['demo', 'demo+a', 'demo+b']
/** Nothing that waits for the wall is waited for longer, milliseconds. */
const HANGS = 20_000

const receiver = { callback_url: 'http://receiver.test/fuzz' }

const basic = (name: string) => `Basic ${Buffer.from(`${name}:demo`).toString('base64')}`

export async function fuzz(count: number, seed: number): Promise<Result> {
  const chance = createChance(seed)
  // Of its own: when a callback leaves is up to the machine, and must not move what is drawn for the requests.
  const receivers = createChance(seed + 1)
  const known = new Known()
  const failures: Failure[] = []
  const statuses = new Map<number, number>()
  let slowest: Result['slowest'] = { ms: 0, request: undefined }
  let wall = NOON
  let number = 0
  let current: FuzzRequest = { id: 'start', method: '', path: '', headers: {}, body: undefined }
  const fail = (why: unknown) =>
    failures.push({
      number,
      request: current,
      why: why instanceof Error ? (why.stack ?? why.message) : String(why),
    })

  const sandbox = await createSandbox({
    config: readConfig({
      ...ALL_SERVED,
      SANDBOX_RATE_LIMIT: '',
      SANDBOX_MAX_WORLDS: '12',
      SANDBOX_REQUEST_LOG_SIZE: '200',
      SANDBOX_SEED: String(seed),
    }),
    log: createLog({ level: 'error', write: fail, terminal: false, now: () => NOON }),
    wall: () => wall,
    clock: { real_anchor: NOON, world_anchor: NOON, speed: 0 },
    send: async () => ({ status: receivers.pick([200, 200, 204, 302, 404, 410, 500, 503, null]), error: '' }),
    pause: async () => {},
  })
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  const aside = await listenAndWait(sandbox, fail)

  const send = async (request: FuzzRequest) => {
    current = request
    const started = performance.now()
    await answered(sandbox, request, known, statuses).catch(fail)
    const ms = performance.now() - started
    if (ms > slowest.ms) slowest = { ms, request }
  }
  try {
    for (const request of edgeRequests(basic('demo'))) await send(request)
    for (; number < count; number++) {
      const world = chance.pick(WORLDS)
      for (const request of betweenCases(chance, number))
        await send({ ...request, headers: { authorization: basic(world), ...request.headers } })
      const operation = chance.once(3) ? chance.pick(weighty) : chance.pick(operations)
      const request = makeRequest(chance, known, operation, basic(world))
      if (operation.id === 'importWorld') await send(await importOf(sandbox, chance, request))
      else await send(request)
      if (operation.id === 'adminUpdateSettings') await send(undisturbed)
      wall += chance.pick([0, 1, 1_000])
      if (number % 50 === 0) await aside.renew(chance)
    }
  } finally {
    current = { ...current, id: 'close' }
    aside.stop()
    await sandbox.close()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('uncaughtException', fail)
    process.off('unhandledRejection', fail)
  }
  return { cases: count, failures, statuses, slowest }
}

/** What moves money and time, and is most worth trying. */
const weighty = operations.filter(({ id }) =>
  [
    'createCollection',
    'createWithdrawal',
    'createGlobalPayment',
    'advanceClock',
    'settle',
    'updateWorld',
    'putScenario',
    'importWorld',
    'fireCallback',
    'submitKyc',
  ].includes(id),
)

const plain = (id: string, method: string, path: string, body?: unknown): FuzzRequest => ({
  id,
  method,
  path,
  headers: body === undefined ? {} : { 'content-type': 'application/json' },
  body: body === undefined ? undefined : JSON.stringify(body),
})

const undisturbed = plain('adminUpdateSettings', 'PATCH', '/__admin/settings', { delay: null, chaos: null })

/** Time goes on, and worlds begin anew, whatever else is sent. */
function betweenCases(chance: Chance, number: number): FuzzRequest[] {
  const requests: FuzzRequest[] = []
  if (chance.once(4))
    requests.push(plain('createCollection', 'POST', '/api/v2/payments', collection(receiver, { amount: 10 })))
  if (chance.once(8)) requests.push(plain('settle', 'POST', '/sandbox/settle?limit=200'))
  if (chance.once(8))
    requests.push(
      plain('advanceClock', 'POST', '/sandbox/clock/advance', {
        by: chance.pick(['1s', '1h', '30d', '36525d']),
      }),
    )
  if (number % 100 === 99) requests.push(plain('resetWorld', 'POST', '/sandbox/reset'))
  if (number % 25 === 24) requests.push(plain('freezeClock', 'POST', '/sandbox/clock/freeze'))
  return requests
}

/** An export of the world with something of it spoilt. */
async function importOf(sandbox: Sandbox, chance: Chance, request: FuzzRequest): Promise<FuzzRequest> {
  const { authorization } = request.headers
  const exported = await sandbox.fetch(
    new Request('http://sandbox.test/sandbox/export', { headers: { authorization: authorization! } }),
  )
  if (exported.status !== 200) return request
  const value = (await exported.json()) as { rows: Record<string, unknown[]> }
  const tables = Object.keys(value.rows).filter((table) => value.rows[table]!.length > 0)
  for (let times = chance.below(3); times > 0; times--) {
    const rows = value.rows[chance.pick(tables)]!
    const at = chance.below(rows.length)
    rows[at] = spoilt(chance, rows[at])
  }
  const body = JSON.stringify(chance.once(4) ? spoilt(chance, value) : value)
  return { ...request, headers: { ...request.headers, 'content-type': 'application/json' }, body }
}

async function answered(
  sandbox: Sandbox,
  request: FuzzRequest,
  known: Known,
  statuses: Map<number, number>,
): Promise<void> {
  const { method, path, headers, body } = request
  const leaving = new AbortController()
  const init = { method, headers, signal: leaving.signal, ...(body !== undefined && { body }) }
  let sent: Request
  try {
    sent = new Request(`http://sandbox.test${path}`, init)
  } catch {
    return // No client can send it.
  }
  // Who waits for what does not come leaves again.
  const timer = setTimeout(() => leaving.abort(), 30)
  let hanging: NodeJS.Timeout | undefined
  const hangs = new Promise<never>((_, reject) => {
    hanging = setTimeout(() => reject(new Error('no answer')), HANGS)
  })
  try {
    await Promise.race([answerTo(sandbox, sent, known, statuses), hangs])
  } finally {
    clearTimeout(timer)
    clearTimeout(hanging)
  }
}

async function answerTo(
  sandbox: Sandbox,
  request: Request,
  known: Known,
  statuses: Map<number, number>,
): Promise<void> {
  const { method } = request
  const response = await fetchOrCut(sandbox, request)
  if (!response) return
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
  const type = response.headers.get('content-type') ?? ''
  if (type === 'text/event-stream') return void (await response.body?.cancel())
  const text = await response.text()
  const answer: unknown = type.includes('json') && method !== 'HEAD' ? JSON.parse(text) : text
  checkAnswer({ method, path: new URL(request.url).pathname }, response.status, response.headers, answer)
  known.learn(answer)
}

/** Undefined when a scenario cuts the connection. */
async function fetchOrCut(sandbox: Sandbox, request: Request): Promise<Response | undefined> {
  try {
    return await sandbox.fetch(request)
  } catch (error) {
    if (error instanceof TypeError && /cut|fetch failed|terminated/i.test(error.message)) return undefined
    throw error
  }
}

/** Keeps streams of events read and requests waiting in each world, whatever becomes of it. */
async function listenAndWait(sandbox: Sandbox, fail: (why: unknown) => void) {
  const leaving = new Set<AbortController>()
  const ask = (world: string, path: string) => {
    const controller = new AbortController()
    leaving.add(controller)
    const request = new Request(`http://sandbox.test${path}`, {
      headers: { authorization: basic(world) },
      signal: controller.signal,
    })
    return Promise.resolve(sandbox.fetch(request)).then(
      (response) => ({ response, controller }),
      (error: unknown) => (fail(error), undefined),
    )
  }
  const readers = new Set<ReadableStreamDefaultReader<Uint8Array>>()
  const listen = async (world: string) => {
    const answer = await ask(world, '/sandbox/events?after=0')
    const reader = answer?.response.body?.getReader()
    if (!reader) return
    readers.add(reader)
    const drain = async (): Promise<void> => {
      const { done } = await reader.read()
      if (!done) return drain()
      readers.delete(reader)
    }
    drain().catch(fail)
  }
  const wait = (world: string, what: string) => {
    void ask(world, `/sandbox/${what}/wait?reference=never&timeout=50s`)
      .then(async (answer) => {
        if (!answer) return
        leaving.delete(answer.controller)
        const body: unknown = await answer.response.json()
        checkAnswer(
          { method: 'GET', path: `/sandbox/${what}/wait` },
          answer.response.status,
          answer.response.headers,
          body,
        )
      })
      .catch(fail)
  }
  const renew = async (chance: Chance) => {
    const world = chance.pick(WORLDS)
    for (const controller of [...leaving].slice(0, -12)) controller.abort()
    if (readers.size < 6) await listen(world)
    wait(world, 'requests')
    wait(world, 'callbacks')
  }
  for (const world of WORLDS) {
    await listen(world)
    wait(world, 'requests')
    wait(world, 'callbacks')
  }
  return {
    renew,
    stop() {
      for (const controller of leaving) controller.abort()
      for (const reader of readers) reader.cancel().catch(fail)
    },
  }
}
