import { describe, expect, it } from 'vitest'
import { drawnTime } from '../../../src/service/domain/realism/field.ts'
import { rails } from '../../../src/service/vocabulary/rails.ts'
import { createRandom } from '../../../src/lib/random/random.ts'
import { collection, globalPayment, withdrawal } from '../../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../../support/sandbox.ts'

const { world } = await startSandbox({ SANDBOX_SETTLE_AFTER: '2s..10s' })
const settings = (w: TestWorld, change: object) => w.patch('/sandbox/worlds/current', change)

const rowOf = (w: TestWorld, id: number) => w.world().read(({ rows }) => rows.get('transactions', id)!)
/** How long a transaction stayed queued, milliseconds. */
async function timeOf(w: TestWorld, id: number): Promise<number> {
  const { settled_at, created_at } = await rowOf(w, id)
  return settled_at! - created_at
}

/** How long each of so many payments stayed queued, milliseconds. */
async function times(w: TestWorld, count: number): Promise<number[]> {
  for (let n = 0; n < count; n++)
    expect((await w.post('/api/v2/payments', collection(w, { amount: 100 }))).status).toBe(201)
  await w.settle()
  return Promise.all([...Array(count).keys()].map((n) => timeOf(w, n + 1)))
}

describe('a random SANDBOX_SETTLE_AFTER', () => {
  it('varies within its bounds', async () => {
    const drawn = await times(world(), 30)
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(2_000)
    expect(Math.max(...drawn)).toBeLessThanOrEqual(10_000)
    expect(new Set(drawn).size).toBeGreaterThan(25)
  })

  it('repeats after a reset of the same world', async () => {
    const w = world()
    const first = await times(w, 10)
    await w.post('/sandbox/reset')
    expect(await times(w, 10)).toEqual(first)
  })

  it('can be read and changed per world', async () => {
    const w = world()
    expect((await w.get('/sandbox/worlds/current')).body.settings.settle_after).toBe('2s..10s')
    const changed = await settings(w, { settle_after: '8s~lognormal' })
    expect(changed.body.settings.settle_after).toBe('8s~lognormal')
    expect(Math.max(...(await times(w, 20)))).toBeGreaterThan(8_000)
    await settings(w, { settle_after: '3s' })
    await w.post('/api/v2/payments', collection(w))
    await w.settle()
    expect(await timeOf(w, 21)).toBe(3_000)
  })

  it('is overridden by a scenario', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w, { phone_number: '0700000002' }))
    await w.settle()
    expect(await timeOf(w, 1)).toBe(3_000)
  })

  it.each([
    ['8s~normal', /^settle_after "8s~normal" must end in ~lognormal/],
    ['10s..2s', /^settle_after "10s..2s" must go from the shorter to the longer/],
    ['realistik', /^settle_after "realistik" is not a duration .* did you mean realistic\?$/],
  ])('400 for %s', async (settle_after, message) =>
    expect(await settings(world(), { settle_after })).toMatchObject(
      refused(400, 'invalid_argument', message),
    ),
  )

  it('depends on the rail if realistic', async () => {
    const w = world()
    await settings(w, { settle_after: 'realistic' })
    for (let n = 0; n < 10; n++) {
      expect((await w.post('/api/v2/withdraw', withdrawal(w, { amount: 100 }))).status).toBe(200)
      expect((await w.post('/api/global/payments', globalPayment(w))).status).toBe(200)
    }
    await w.settle()
    const spent = { payin: 0, payout: 0 }
    for (let id = 1; id <= 20; id++) {
      const { direction } = await rowOf(w, id)
      spent[direction] += await timeOf(w, id)
    }
    expect(spent.payin).toBeGreaterThan(spent.payout)
  })
})

describe('a lognormal draw', () => {
  const random = createRandom('seed')
  const draws = [...Array(10_000).keys()].map((id) =>
    drawnTime({ kind: 'lognormal', median: 10_000 }, { id, rail: 'momo', direction: 'payin' }, random),
  )

  it('has its median in the middle and nothing far out', () => {
    const sorted = draws.toSorted((a, b) => a - b)
    expect(sorted[5_000]).toBeGreaterThan(9_600)
    expect(sorted[5_000]).toBeLessThan(10_400)
    expect(sorted[0]).toBeGreaterThan(2_000)
    expect(sorted.at(-1)).toBeLessThan(45_000)
  })

  it("ends before the payer's prompt expires", () =>
    expect(rails.momo.settles_after.payin * Math.exp(1.5)).toBeLessThan(60_000))
})
