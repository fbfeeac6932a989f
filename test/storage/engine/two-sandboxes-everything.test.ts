import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { closeLater } from '../../support/close-later.ts'
import { collection } from '../../support/requests.ts'
import type { World as WorldView } from '../../../src/generated/control/types.ts'
import { startSandbox, type TestWorld } from '../../support/sandbox.ts'
import { shared } from './engines.ts'

/** A change in one sandbox is visible in the next request to the other. */
describe.each(shared)(
  'everything of a world is the same in two sandboxes over one engine %s',
  (_, create) => {
    async function start() {
      const [engine, another] = await create()
      const one = await startSandbox({}, { engine })
      const other = await startSandbox({}, { engine: another })
      for (const { sandbox } of [one, other]) closeLater(() => sandbox.close())
      const [here, there] = [one.world(), other.world()]
      for (const w of [here, there]) expect((await w.get('/sandbox/worlds/current')).status).toBe(200)
      return { one, other, here, there }
    }
    const pay = async (w: TestWorld, changes: object = {}) => {
      const answer = await w.post('/api/v2/payments', collection(w, changes))
      expect(answer.status).toBe(201)
      return answer.body.reference as string
    }
    const statusOf = async (w: TestWorld, reference: string) =>
      (await w.post('/api/global/transaction-status', { request_id: reference })).body.status
    const bodies = async (path: string, ...worlds: TestWorld[]) =>
      Promise.all(worlds.map(async (w) => (await w.get(path)).body))

    it('settings, the clock, the request log and the used budget', async () => {
      const { here, there } = await start()
      await here.patch('/sandbox/worlds/current', { name: 'Mine', settle_after: '7s', costs: [{ cost: 3 }] })
      await here.post('/sandbox/clock/advance', { by: '2h' })
      await pay(here)
      await pay(here, { external_reference: 'order-2' })
      await here.settle()
      for (const name of ['one', 'two']) await here.post('/sandbox/snapshots', { name })
      // Reading once flushes them.
      expect((await here.get('/sandbox/requests')).body.total).toBe(2)
      const [mine, theirs] = await bodies('/sandbox/worlds/current', here, there)
      expect(theirs).toMatchObject({ name: 'Mine', requests: 2, transactions: 2 })
      expect(kept(theirs)).toEqual(kept(mine))
      const [clock, same] = await bodies('/sandbox/clock', here, there)
      expect(same).toEqual(clock)
    })

    it('keys and secrets', async () => {
      const { here, there } = await start()
      await here.post('/sandbox/api-keys', { name: 'mine' })
      const rotated = (await here.post('/sandbox/signing-secret', { overlap: '1h' })).body
      const [keys, sameKeys] = await bodies('/sandbox/api-keys', here, there)
      expect(sameKeys).toEqual(keys)
      const [secret, same] = await bodies('/sandbox/signing-secret', here, there)
      expect(same).toEqual(secret)
      expect(same.secret).toBe(rotated.secret)
    })

    it('scenarios written at run time, which decide the next request', async () => {
      const { here, there } = await start()
      const file = {
        title: 'Mine',
        when: { amount: 77 },
        then: { settle: { status: 'failed', reason: 'operator_busy' } },
      }
      expect((await here.put('/sandbox/scenarios/mine', file)).status).toBe(200)
      const [mine, same] = await bodies('/sandbox/scenarios/mine', here, there)
      expect(same).toEqual(mine)
      const reference = await pay(there, { amount: 77 })
      await there.settle()
      expect(await statusOf(here, reference)).toBe('failed')
      expect((await here.delete('/sandbox/scenarios/mine')).status).toBe(200)
      expect((await there.get('/sandbox/scenarios/mine')).status).toBe(404)
    })

    it('inboxes: their responses and their messages', async () => {
      const { other, here, there } = await start()
      await here.put('/sandbox/inbox/shop', { responses: [500, 204] })
      const { address } = (await there.get('/sandbox/inbox/shop')).body
      const send = () =>
        other.sandbox.fetch(
          new Request(address, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"n":1}',
          }),
        )
      expect((await send()).status).toBe(500)
      expect((await here.get('/sandbox/inbox/shop')).body).toMatchObject({
        responses_sent: 1,
        messages: [{ body: '{"n":1}' }],
      })
      expect((await send()).status).toBe(204)
      const [mine, same] = await bodies('/sandbox/inbox/shop', here, there)
      expect(same).toEqual(mine)
    })

    it('phones and their prompts, which either can respond to', async () => {
      const { here, there } = await start()
      await here.patch('/sandbox/worlds/current', { payer: 'manual' })
      const reference = await pay(there)
      const [prompts, same] = await bodies('/sandbox/prompts', here, there)
      expect(prompts.prompts).toHaveLength(1)
      expect(same).toEqual(prompts)
      expect((await here.post(`/sandbox/prompts/${reference}/respond`, { cancel: true })).status).toBe(200)
      expect(await statusOf(there, reference)).toBe('failed')
      const [phones, samePhones] = await bodies('/sandbox/phones', here, there)
      expect(samePhones).toEqual(phones)
    })

    it('watchers of phones: payments in any process wait for their payers', async () => {
      const { one, here, there } = await start()
      await here.patch('/sandbox/worlds/current', { payer: 'manual_while_watched' })
      const watcher = await watch(one.sandbox, here)
      const reference = await pay(there)
      await there.advance(30_000)
      await there.settle()
      expect(await statusOf(there, reference)).toBe('queued')
      await watcher.cancel()
      await expect
        .poll(
          async () => {
            await there.settle()
            return statusOf(there, reference)
          },
          { timeout: 30_000 },
        )
        .toBe('success')
    })

    it('waiting for callbacks and requests of the other', async () => {
      const { here, there } = await start()
      const called = there.get('/sandbox/callbacks/wait?state=delivered&count=2&timeout=30s')
      const asked = there.get('/sandbox/requests/wait?operation=createCollection&count=2&timeout=30s')
      for (const external_reference of ['order-1', 'order-2']) await pay(here, { external_reference })
      await here.settle()
      expect((await asked).body.requests).toHaveLength(2)
      expect((await called).body.callbacks).toHaveLength(2)
    })

    it('statements, the ledger and timelines', async () => {
      const { here, there } = await start()
      const reference = await pay(here)
      await there.settle()
      for (const path of [
        '/sandbox/statements?account_id=63',
        '/sandbox/ledger',
        `/sandbox/transactions/${reference}/timeline`,
        '/sandbox/callbacks',
        '/sandbox/export',
      ]) {
        const [mine, same] = await bodies(path, here, there)
        expect(same, path).toEqual(mine)
      }
    })
  },
)

/** The shared part of a world's view; each process counts its own running work and worlds. */
function kept({ budget, ...view }: WorldView) {
  const counted = ['rows', 'request_log', 'snapshots', 'snapshot_count', 'scenarios']
  const spent = budget!.filter(({ name }) => counted.includes(name))
  return { ...view, number: undefined, last_used_at: undefined, budget: spent }
}

async function watch(sandbox: Sandbox, w: TestWorld) {
  const authorization = `Basic ${Buffer.from(`${w.world().name}:demo`).toString('base64')}`
  const url = 'http://sandbox.test/sandbox/events?payer=1'
  const { body } = await sandbox.fetch(new Request(url, { headers: { authorization } }))
  const reader = body!.getReader()
  await reader.read()
  return reader
}
