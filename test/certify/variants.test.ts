/**
 * Whole runs of correct shops that work in different ways: none fails a check. Three runs of each, two at a time, with two busy
 * processors: `RUNS=3 LOAD=2 npx vitest run --project slow test/certify/variants.test.ts --reporter=verbose --max-concurrency=2`.
 */
import { Worker } from 'node:worker_threads'
import { afterAll, it } from 'vitest'
import type { ProfileFile } from '../../src/certify/profile.ts'
import { certifyShop } from './certified.ts'
import { clockOf } from './shop/clock.ts'
import type { Habits } from './shop/habits.ts'
import type { Shop } from './shop/shop.ts'

const sleep = (shop: Shop, ms: number) => clockOf().sleep(ms, shop.stopped)

const { RUNS = '1', LOAD = '0' } = process.env
const runs = Array.from({ length: Number(RUNS) }, (_, n) => n + 1)
// Each keeps a processor busy.
const load = Array.from({ length: Number(LOAD) }, () => {
  return new Worker('for (;;) Math.sqrt(2)', { eval: true })
})
afterAll(() => Promise.all(load.map((each) => each.terminate())))

const variants: Readonly<Record<string, ((careful: Habits) => Partial<Habits>) | undefined>> = {
  plain: undefined,
  'only pays sellers out': undefined,
  'works from a queue of 5 seconds': ({ take }) => ({
    async take(shop, event, told, request) {
      shop.start(sleep(shop, 5_000).then(() => take(shop, event, told, request)))
    },
  }),
  'limits callbacks to 20 a second': ({ receiveCallback }) => {
    let taken: number[] = []
    return {
      async receiveCallback(shop, request) {
        const now = shop.clock.now()
        taken = taken.filter((at) => now - at < 1_000)
        if (taken.length >= 20) return new Response(null, { status: 429, headers: { 'retry-after': '1' } })
        taken.push(now)
        return receiveCallback(shop, request)
      },
    }
  },
  'confirms each callback before it responds': ({ take, isKnown }) => ({
    async take(shop, event, told, request) {
      await take(shop, event, told, request)
      const order = await shop.store.read((rows) => shop.habits.orderOf(rows, told))
      if (order) await isKnown(shop, order)
    },
  }),
  'flags a late success': ({ nextStatus }) => ({
    nextStatus: (order, told) =>
      order.status === 'failed' && told.status === 'success' ? 'unclear' : nextStatus(order, told),
  }),
  'takes 2 seconds to respond to a callback': ({ receiveCallback }) => ({
    async receiveCallback(shop, request) {
      await sleep(shop, 1_800)
      return receiveCallback(shop, request)
    },
  }),
}

/** What the profile of a variant says otherwise. */
const profiles: Readonly<Record<string, Partial<ProfileFile>>> = {
  'only pays sellers out': { trigger: undefined, features: ['withdraw', 'reversals', 'status-queries'] },
}

const MINUTE = 60_000

it.concurrent.for(
  runs.flatMap((n) => Object.entries(variants).map(([name, habits]) => ({ n, name, habits }))),
)('$name, run $n', { timeout: 10 * MINUTE }, async ({ name, habits }, { annotate, expect }) => {
  const notes: string[] = []
  const { checks, duration_ms, summary } = await certifyShop({
    habits,
    within: 5_000,
    say: (text) => notes.push(text),
    profile: profiles[name],
  })
  const wrong = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
  await annotate(`${name}: ${summary.text} ${Math.round(duration_ms / 1000)} s. ${notes.join(' ')}`)
  expect(wrong.map(({ id, verdict, observed }) => `${id} ${verdict}: ${observed}`)).toEqual([])
  // On a loaded machine any shop takes long.
  if (RUNS !== '1' || LOAD !== '0') return
  expect(duration_ms).toBeLessThan(4 * MINUTE)
  // A slow shop is told early how long the run takes.
  expect(notes.join('')).toMatch(
    name.startsWith('takes 2 seconds')
      ? /^The shop takes [1-9]\.\d s per response/
      : /^$|^The shop takes 0\.\d s per response/,
  )
})
