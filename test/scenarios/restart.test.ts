import { join } from 'node:path'
import { expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startSandbox } from '../support/sandbox.ts'

it('keeps the files, queue and counts of a world across a restart', async () => {
  const env = { SANDBOX_DB: join(temporaryFolder(), 'rows.json') }
  const first = await startSandbox(env)
  const before = first.world()
  await before.put('/sandbox/scenarios/mine', { title: 'Mine', when: { amount: 77 }, then: { delay: '1s' } })
  await before.post('/sandbox/scenarios/wrong-pin/queue', {})
  const once = { phone_number: '0700000064' }
  const pay = (w: typeof before, changes: object, headers = {}) =>
    w.post('/api/v2/payments', collection(w, changes), headers)
  expect((await pay(before, {}, { prefer: 'scenario=provider-fails-once' })).status).toBe(503)
  await first.sandbox.close()

  const after = (await startSandbox(env)).world()
  const outcomes = []
  for (const changes of [{}, once, { amount: 77 }])
    outcomes.push((await pay(after, changes)).headers.get('sandbox-outcome'))
  expect(outcomes).toEqual(['queue; fails (wrong_pin) after 5s', 'when; succeeds', 'when; delayed 1s'])
})
