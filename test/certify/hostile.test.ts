/** Shops, probes and triggers that are not what they should be: no check passes by it, and none hangs. */
import { describe, expect, it } from 'vitest'
import { certify } from '../../src/certify/library.ts'
import type { Certification } from '../../src/certify/certification.ts'
import type { CertifyOptions, ProfileFile } from '../../src/certify/profile.ts'
import type { Belief, GivenHere } from '../../src/certify/profile.ts'
import { exitCodeOf } from '../../src/certify/results.ts'
import { certificationSchema } from '../../src/certify/schema.ts'

const LIMIT = { timeout: 60_000 }
const CALLBACK = 'https://shop.test/callback'

/** A shop that believes every callback. */
function openShop() {
  const orders = new Map<string, { state: string; fulfilled: number }>()
  return {
    orders,
    async pay({ order, amount, phone, authorization, fetch }: GivenHere, callback_url = CALLBACK) {
      orders.set(order, { state: 'open', fulfilled: 0 })
      const body = { amount, phone_number: phone, provider: 'm-pesa', network_code: '63902', account_id: 63 }
      await fetch('/api/v2/payments', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ ...body, external_reference: order, callback_url }),
      })
    },
    async receive(request: Request): Promise<Response> {
      const { external_reference, status } = (await request.json()) as Record<string, string>
      const order = orders.get(external_reference!)
      if (order && status === 'success')
        orders.set(external_reference!, { state: 'paid', fulfilled: order.fulfilled + 1 })
      return new Response(null, { status: 204 })
    },
    ask: async (order: string): Promise<Belief | undefined> => orders.get(order),
  }
}

const verdicts = ({ checks }: Certification) =>
  Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]))
const seenOf = ({ checks }: Certification, id: string) => checks.find((each) => each.id === id)!.observed

async function certified(profile: Partial<ProfileFile>, options: Partial<CertifyOptions> = {}) {
  const certification = await certify({
    only: ['RCV-1', 'RCV-2', 'RCV-10'],
    receivers: {},
    ...options,
    profile: { profile: 'shop', isolation: 'world', client: { patience: '500ms' }, ...profile },
  })
  expect(certificationSchema().safeParse(certification).error?.issues).toBeUndefined()
  return certification
}

describe('a probe', () => {
  const tried = async (ask: (order: string, honest: Belief | undefined) => Promise<Belief | undefined>) => {
    const shop = openShop()
    return certified(
      { trigger: (given) => shop.pay(given), probe: async (order) => ask(order, await shop.ask(order)) },
      { receivers: { 'https://shop.test': shop.receive } },
    )
  }

  it('is trusted if each callback changes its counts', LIMIT, async () => {
    const certification = await tried(async (_, honest) => honest)
    expect(certification.probe).toMatchObject({ usable: true, counts: true })
    expect(verdicts(certification)).toEqual({ 'RCV-1': 'pass', 'RCV-2': 'fail', 'RCV-10': 'fail' })
    expect(seenOf(certification, 'RCV-10')).toContain('delivered 2 times')
    expect(certification.summary).toMatchObject({ standing: 'not_ready', ready: false, fix_first: 'RCV-2' })
    expect(exitCodeOf(certification.summary.standing, 'so_far')).toBe(1)
  })

  it.each([
    [
      'that lies',
      async () => ({ state: 'paid', fulfilled: 1 }),
      /^For an order that was never placed, it returns paid/,
    ],
    ['that says nothing but no', async () => ({ state: 'open', fulfilled: 0 }), /it returns open.*not paid/],
    ['that hangs', () => new Promise<Belief>(() => {}), /did not end within/],
    ['that throws', async () => Promise.reject(new Error('no database')), /no database/],
    ['that has other words', async () => ({ state: 'erledigt' }), /erledigt/],
  ] as const)('%s is believed in nothing', LIMIT, async (_, lie, why) => {
    const certification = await tried(lie)
    expect(certification.probe).toMatchObject({ usable: false, because: expect.stringMatching(why) })
    expect(verdicts(certification)).toMatchObject({ 'RCV-1': 'pass', 'RCV-10': 'inconclusive' })
  })

  it('is not trusted if it contradicts itself', LIMIT, async () => {
    let asked = 0
    const certification = await tried(async () => ({
      state: asked++ % 2 === 0 ? 'open' : 'failed',
      fulfilled: 0,
    }))
    expect(certification.probe?.because).toMatch(/response is unstable: it changed \d+ times/)
    expect(verdicts(certification)).toMatchObject({ 'RCV-10': 'inconclusive' })
  })
})

describe('a shop', () => {
  it('fails all rejections if it responds 200 to everything and never pays', LIMIT, async () => {
    const shop = openShop()
    const certification = await certified(
      { trigger: (given) => shop.pay(given), probe: shop.ask },
      { receivers: { 'https://shop.test': () => new Response('ok') } },
    )
    expect(verdicts(certification)).toEqual({ 'RCV-1': 'pass', 'RCV-2': 'fail', 'RCV-10': 'inconclusive' })
  })

  it('proves nothing if it rejects everything', LIMIT, async () => {
    const shop = openShop()
    const certification = await certified(
      { trigger: (given) => shop.pay(given) },
      { receivers: { 'https://shop.test': () => new Response(null, { status: 401 }) } },
    )
    expect(verdicts(certification)).toEqual({
      'RCV-1': 'fail',
      'RCV-2': 'inconclusive',
      'RCV-10': 'not_seen',
    })
  })

  it('is told if its receiver is unreachable', LIMIT, async () => {
    const shop = openShop()
    const certification = await certified({
      trigger: (given) => shop.pay(given, 'http://127.0.0.1:1/callback'),
    })
    expect(verdicts(certification)).toMatchObject({ 'RCV-1': 'fail', 'RCV-2': 'inconclusive' })
    expect(seenOf(certification, 'RCV-1')).toMatch(/sent no response/)
  })

  it('may reject other methods with 501', LIMIT, async () => {
    const shop = openShop()
    const receive = async (request: Request) => {
      if (request.method !== 'POST') return new Response(null, { status: 501 })
      const isJson = request.headers.get('content-type') === 'application/json'
      return isJson ? shop.receive(request) : new Response(null, { status: 415 })
    }
    const certification = await certified(
      { trigger: (given) => shop.pay(given) },
      { only: ['RCV-25'], receivers: { 'https://shop.test': receive } },
    )
    expect(verdicts(certification)).toEqual({ 'RCV-25': 'pass' })
  })

  it('is told if it crashes on broken JSON', LIMIT, async () => {
    const shop = openShop()
    const certification = await certified(
      { trigger: (given) => shop.pay(given) },
      { only: ['RCV-27'], receivers: { 'https://shop.test': shop.receive } },
    )
    expect(verdicts(certification)).toEqual({ 'RCV-27': 'fail' })
    expect(seenOf(certification, 'RCV-27')).toMatch(
      /^The receiver sent no response to broken JSON .* It crashed\.$/,
    )
  })

  it('is found to pay twice by its payments', LIMIT, async () => {
    const shop = openShop()
    const certification = await certified(
      {
        probe: shop.ask,
        trigger: (given) => shop.pay(given).catch(() => shop.pay(given)),
      },
      { only: ['CLI-2'], receivers: { 'https://shop.test': shop.receive } },
    )
    expect(verdicts(certification)).toEqual({ 'CLI-2': 'fail' })
    expect(seenOf(certification, 'CLI-2')).toContain('2 requests and 2 payments')
  })

  it('is judged by its responses without a trigger or a probe', LIMIT, async () => {
    const certification = await certified(
      { receiver: { url: CALLBACK } },
      { receivers: { 'https://shop.test': () => new Response('ok') } },
    )
    expect(verdicts(certification)).toEqual({ 'RCV-1': 'pass', 'RCV-2': 'fail', 'RCV-10': 'not_seen' })
  })

  it('is undecided without any access', LIMIT, async () => {
    const certification = await certified({})
    expect(certification.summary).toMatchObject({ standing: 'undecided', ready: false, score: null })
    expect(exitCodeOf(certification.summary.standing, 'so_far')).toBe(3)
    expect(certification.summary.text).toBe('Undecided: no mandatory check passed.')
  })
})

describe('a trigger', () => {
  const trying = async (trigger: ProfileFile['trigger']) => {
    const certification = await certified({ trigger, receiver: { url: CALLBACK } }, { only: ['RCV-1'] })
    expect(verdicts(certification)).toEqual({ 'RCV-1': 'inconclusive' })
    return seenOf(certification, 'RCV-1')
  }

  it('is reported if it throws', LIMIT, async () => {
    const broken = () => Promise.reject(new Error('the till is closed'))
    expect(await trying(broken)).toMatch(/made no payment .*the till is closed/)
  })

  it('is reported if its command fails', LIMIT, async () => {
    expect(await trying({ command: 'echo "no such order: $order" >&2; exit 3' })).toMatch(
      /exit code 3: no such order: rcv-1-/,
    )
  })

  it('makes no payment by printing megabytes', LIMIT, async () => {
    const command = `node -e "process.stdout.write('x'.repeat(5e6))"`
    expect(await trying({ command })).toMatch(/there was no payment of \d+ within/)
  })

  it('is reported if its address is unreachable', LIMIT, async () => {
    expect(await trying({ http: { url: 'http://127.0.0.1:1/pay' } })).toMatch(
      /POST http:\/\/127\.0\.0\.1:1\/pay: /,
    )
  })
})

it('waived failures stay green, and turn red when they pass', LIMIT, async () => {
  const shop = openShop()
  const waiver = { until: '2026-12-31', by: 'Jane', ticket: 'SHOP-12', because: 'we know' }
  const certification = await certified(
    {
      trigger: (given) => shop.pay(given),
      waivers: { 'RCV-5': waiver, 'SEC-1': waiver },
    },
    { only: ['RCV-5', 'SEC-1'], receivers: { 'https://shop.test': shop.receive } },
  )
  expect(verdicts(certification)).toEqual({ 'RCV-5': 'waived', 'SEC-1': 'fail' })
  expect(seenOf(certification, 'SEC-1')).toMatch(/remove the waiver/)
  expect(certification.summary).toMatchObject({ standing: 'not_ready', ready: false })
})

it('an unknown check is rejected with the closest name', async () => {
  await expect(certify({ profile: { profile: 'shop' }, only: ['RCV', 'CLY-2'] })).rejects.toThrow(
    'CLY-2 is not a check (did you mean CLI-2?)',
  )
})
