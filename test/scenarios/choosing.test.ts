import { every } from '../support/rows.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collection, withdrawal } from '../support/requests.ts'
import { temporaryFolder } from '../support/folder.ts'
import { balance } from '../support/ledger.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const SANDBOX_SCENARIOS = `
large:
  title: Large amounts fail
  when: { operation: createCollection, amount: { gt: 5000 } }
  then: { settle: { status: failed, reason: operator_busy } }
large-by-mail:
  title: Large amounts of one shop are slow
  when: { operation: createCollection, amount: { gt: 5000 }, reference: { startsWith: shop- } }
  then: { delay: 2s }
another-large-by-mail:
  title: The same, with an earlier name
  when: { operation: createCollection, amount: { gt: 5000 }, reference: { startsWith: shop- } }
  then: { delay: 3s }
two-then-again:
  title: Fails, works, and so on
  steps:
    - { times: 2, then: { respond: { status: 503 } } }
    - { then: { settle: { status: success } } }
  afterLast: repeat
once-then-stays:
  title: Works once, then is down
  steps:
    - { then: { settle: { status: success } } }
    - { then: { respond: { status: 502 } } }
  afterLast: stay
down:
  title: Down
  then: { respond: { status: 503 } }
once:
  title: Fails once
  steps: [{ then: { respond: { status: 503 } } }]
  afterLast: none
coin:
  title: Heads or tails
  choices:
    - { weight: 1, then: { respond: { status: 503 } } }
    - { weight: 1, then: { settle: { status: success } } }
account-busy:
  title: Reading an account fails once
  when: { operation: getAccount, account_id: 65 }
  steps: [{ then: { respond: { status: 503 } } }]
  afterLast: none
tenant:
  title: One tenant is refused
  when: { operation: discoverCountry, headers.X-Tenant: [a, b], query.country: { not: TZ } }
  then: { respond: { error_code: internal, error_message: no tenant } }
`
const { world, pauses } = await startSandbox({ SANDBOX_SCENARIOS })

const pay = (w: TestWorld, changes: object = {}, prefer?: string) =>
  w.post('/api/v2/payments', collection(w, changes), prefer === undefined ? {} : { prefer })
const statuses = async (times: number, ask: () => Promise<{ status: number }>) => {
  const found: number[] = []
  for (let time = 0; time < times; time++) found.push((await ask()).status)
  return found
}
const said = ({ headers }: { headers: Headers }) => [
  headers.get('sandbox-scenario'),
  headers.get('sandbox-outcome'),
]

describe('the order of precedence', () => {
  it('is header, queue, enabled, when, rules, default', async () => {
    const w = world()
    await w.patch('/sandbox/scenarios/down', { on: true })
    await w.post('/sandbox/scenarios/payer-unreachable/queue', {})
    const cancelling = { phone_number: '0700000002' }
    expect(said(await pay(w, cancelling, 'scenario=wrong-pin'))).toEqual([
      'wrong-pin',
      'header; fails (wrong_pin) after 5s',
    ])
    expect(said(await pay(w, cancelling))).toEqual([
      'payer-unreachable',
      'queue; fails (unreachable) after 30s',
    ])
    expect(said(await pay(w, cancelling))).toEqual(['down', 'enabled; responds with 503'])
    await w.patch('/sandbox/scenarios/down', { on: false })
    expect(said(await pay(w, cancelling))).toEqual(['payer-cancels', 'when; fails (cancelled) after 3s'])
    expect(said(await pay(w, { ...cancelling, channel_id: 1505 }))).toEqual(['payer-cancels', 'rules'])
    expect(said(await pay(w))).toEqual([null, 'default'])
  })

  it('prefers more conditions, then the earlier name, and reports the scenarios it overrides', async () => {
    const w = world()
    const shop = await pay(w, { amount: 6000, external_reference: 'shop-1' })
    expect(said(shop)).toEqual(['another-large-by-mail', 'when; delayed 3s'])
    expect(said(await pay(w, { amount: 6000 }))).toEqual(['large', 'when; fails (operator_busy)'])
    const why = await w.get(`/sandbox/requests/${shop.headers.get('sandbox-request-id')}/explain`)
    expect(why.body.overridden).toEqual(['large-by-mail', 'large'])
  })

  it('prefers the scenario enabled last', async () => {
    const w = world()
    await w.patch('/sandbox/scenarios/down', { on: true })
    await w.patch('/sandbox/scenarios/payer-cancels', { on: true })
    expect(said(await pay(w))[0]).toBe('payer-cancels')
  })

  it('skips named scenarios that do not fit the operation or direction', async () => {
    const w = world()
    const { status, headers } = await w.post('/api/v2/withdraw', withdrawal(w), {
      prefer: 'scenario=payer-cancels',
    })
    expect([status, headers.get('sandbox-outcome')]).toEqual([200, 'default'])
    await w.post('/sandbox/scenarios/payer-cancels/queue', {})
    await w.post('/api/v2/withdraw', withdrawal(w))
    expect(said(await pay(w))).toEqual(['payer-cancels', 'queue; fails (cancelled) after 3s'])
  })

  it('keeps the place in the queue and the step when the rules reject the request', async () => {
    const w = world()
    await w.post('/sandbox/scenarios/payer-cancels/queue', {})
    expect((await pay(w, { channel_id: 1505 })).status).toBe(400)
    expect(said(await pay(w))[1]).toBe('queue; fails (cancelled) after 3s')
    expect(said(await pay(w))[1]).toBe('default')
  })

  it('is applied after authentication and validation', async () => {
    const w = world()
    const answer = await pay(w, { amount: 'x' }, 'scenario=down')
    expect(answer).toMatchObject(refused(400, 'invalid_argument', /^amount must be a number/))
    expect(answer.headers.get('sandbox-outcome')).toBeNull()
  })

  it('is the same in every world and counted per world', async () => {
    const [a, b] = [world(), world()]
    expect((await pay(a, {}, 'scenario=once')).status).toBe(503)
    expect((await pay(a, {}, 'scenario=once')).status).toBe(201)
    expect((await pay(b, {}, 'scenario=once')).status).toBe(503)
  })
})

describe('steps', () => {
  it('repeat from the first', async () => {
    const w = world()
    expect(await statuses(7, () => pay(w, {}, 'scenario=two-then-again'))).toEqual([
      503, 503, 201, 503, 503, 201, 503,
    ])
  })

  it('stay at the last one', async () => {
    const w = world()
    expect(await statuses(4, () => pay(w, {}, 'scenario=once-then-stays'))).toEqual([201, 502, 502, 502])
  })

  it('step aside after the last one', async () => {
    const w = world()
    expect(await statuses(3, () => pay(w, {}, 'scenario=once'))).toEqual([503, 201, 201])
  })

  it('are counted for read operations', async () => {
    const w = world()
    expect(await statuses(3, () => w.get('/api/v2/account/65'))).toEqual([503, 200, 200])
    expect((await w.get('/api/v2/account/63')).status).toBe(200)
  })

  it('are used one by one by concurrent requests', async () => {
    const w = world()
    const answers = await Promise.all(Array.from({ length: 9 }, () => pay(w, {}, 'scenario=two-then-again')))
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(6)
  })
})

describe('chance', () => {
  it('repeats with the same seed and takes both choices', async () => {
    const same = { SANDBOX_SCENARIOS, SANDBOX_SEED: 'one' }
    const runs = []
    for (const env of [same, same, { ...same, SANDBOX_SEED: 'two' }]) {
      const w = (await startSandbox(env)).world()
      runs.push(await statuses(20, () => pay(w, { amount: 10 }, 'scenario=coin')))
    }
    expect(runs[1]).toEqual(runs[0])
    expect(runs[2]).not.toEqual(runs[0])
    expect(new Set(runs[0])).toEqual(new Set([201, 503]))
  })

  it('takes a choice in proportion to its weight', async () => {
    const w = world()
    const choice = (weight: number, status: number) => ({ weight, then: { respond: { status } } })
    const file = { title: 'Loaded', choices: [choice(9, 503), choice(1, 500)] }
    await w.put('/sandbox/scenarios/loaded', file)
    const found = await statuses(30, () => pay(w, {}, 'scenario=loaded'))
    expect(found.filter((status) => status === 503).length).toBeGreaterThan(22)
    expect(found).toContain(500)
  })
})

describe('when', () => {
  it('matches headers in any case, and the query of a read operation', async () => {
    const w = world()
    const ask = (country: string, tenant: string) =>
      w.get(`/api/global/discovery/payment-world/country?country=${country}`, undefined, {
        'x-tenant': tenant,
      })
    expect(await ask('KE', 'a')).toMatchObject(refused(500, 'internal', 'no tenant'))
    expect((await ask('KE', 'c')).status).toBe(200)
    expect((await ask('TZ', 'a')).status).toBe(200)
  })

  it('matches a country in any case', async () => {
    const w = world()
    await w.put('/sandbox/scenarios/kenya', {
      title: 'Kenya',
      when: { operation: 'discoverCountry', country: 'KE' },
      then: { respond: { status: 503 } },
    })
    const ask = (country: string) => w.get(`/api/global/discovery/payment-world/country?country=${country}`)
    expect([(await ask('ke')).status, (await ask('tz')).status]).toEqual([503, 200])
  })
})

describe('later effects', () => {
  it('retry a callback as the scenario says', async () => {
    const own = await startSandbox()
    own.answerOf.next = () => ({ status: 500, error: '' })
    const w = own.world()
    await w.put('/sandbox/scenarios/no-retries', {
      title: 'No retries',
      then: { callback: { retry: { profile: 'none' } } },
    })
    await pay(w, {}, 'scenario=no-retries')
    await pay(w)
    await w.settle()
    const count = (reference: string) =>
      w.callbacks().filter(({ body }) => body.reference === reference).length
    const [first, second] = await w.world().read(({ rows }) => every(rows, 'transactions'))
    expect([count(first!.reference), count(second!.reference)]).toEqual([1, 6])
  })

  it('close a channel for everyone and open it again', async () => {
    const w = world()
    const first = await pay(w, { channel_id: 1502, phone_number: '0700000084' })
    expect(first).toMatchObject(refused(400, 'invalid_argument', 'passed channel is not active'))
    expect((await pay(w, { channel_id: 1502 })).status).toBe(400)
    await w.advance(10 * 60_000)
    expect((await pay(w, { channel_id: 1502 })).status).toBe(201)
  })

  it('delay a response after the payment was accepted', async () => {
    const w = world()
    const before = pauses.length
    expect((await pay(w, { phone_number: '0700000063' })).status).toBe(201)
    expect(pauses.slice(before)).toEqual([25_000])
  })

  it('do not reverse what the wallet cannot pay', async () => {
    const w = world()
    await pay(w, { amount: 150_000 }, 'scenario=success-then-reversed')
    await w.advance(2_000)
    await w.post('/api/v2/withdraw', withdrawal(w, { amount: 150_000 }))
    await w.post('/api/v2/withdraw', withdrawal(w, { amount: 99_000 }))
    await w.settle()
    expect(await balance(w, 'team:63:wallet:KES')).toBeGreaterThanOrEqual(0)
    expect(w.callbacks().map(({ body }) => body.status)).toEqual(['success', 'success', 'success'])
  })

  it('debit a payout again after a late success', async () => {
    const w = world()
    await w.put('/sandbox/scenarios/late-payout', {
      title: 'Late',
      then: {
        settle: { status: 'failed', reason: 'operator_error' },
        later: [{ after: '1m', status: 'success' }],
      },
    })
    await w.post('/api/v2/withdraw', withdrawal(w), { prefer: 'scenario=late-payout' })
    await w.advance(2_000)
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_000)
    await w.settle()
    expect(await balance(w, 'team:63:wallet:KES')).toBe(99_492)
    expect(w.callbacks().map(({ body }) => body.status)).toEqual(['failed', 'success'])
  })
})

it('omit Sandbox headers when they are off', async () => {
  const w = (await startSandbox({ SANDBOX_HEADERS: 'off' })).world()
  const { headers } = await pay(w, { phone_number: '0700000002' })
  expect([...headers.keys()].filter((name) => name.startsWith('sandbox'))).toEqual([])
})

describe("a user's scenario with the ending of a shipped one", () => {
  const mine = (direction = 'direction: payin, ') =>
    `title: Mine\nwhen: { operation: createCollection, ${direction}party: { ending: '002' } }\nthen: { delay: 2s }\n`
  const paid = async (w: TestWorld) => {
    const { headers } = await w.post('/api/v2/payments', collection(w, { phone_number: '0700000002' }))
    return headers.get('sandbox-scenario')
  }

  it.each([
    ['wins with as many conditions, whatever the names', mine(), 'zzz-mine'],
    ['gives way with fewer', mine(''), 'payer-cancels'],
  ])('%s', async (_, text, name) => {
    const file = join(temporaryFolder(), 'zzz-mine.yaml')
    await writeFile(file, text)
    const { world } = await startSandbox({ SANDBOX_SCENARIOS: file })
    expect(await paid(world())).toBe(name)
  })

  it('wins with equal conditions when added to a world', async () => {
    const w = world()
    expect(await paid(w)).toBe('payer-cancels')
    await w.put('/sandbox/scenarios/zzz-mine', mine(), { 'content-type': 'application/yaml' })
    expect(await paid(w)).toBe('zzz-mine')
  })
})
