import assert from 'node:assert/strict'
import { formatDuration } from '../../src/lib/text/duration.ts'
import { Group } from './group.ts'
import { ask, pay, startReceiver, statusOf } from './processes.ts'

/** How many times two processes change the world in turn, and in how many of them they create and revoke a key. */
const TURNS = { full: 5_000, soon: 200 }
const KEYS = 100

/** The other processes know a change at their next request. */
export async function oneTruth(database: string, { full }: { readonly full: boolean }): Promise<string> {
  const turns = full ? TURNS.full : TURNS.soon
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url)
  const [a, b, c] = group.members as [
    (typeof group.members)[0],
    (typeof group.members)[0],
    (typeof group.members)[0],
  ]
  try {
    for (let turn = 0; turn < turns; turn += 1) {
      const [by, elsewhere] = turn % 2 ? [a, b] : [b, a]
      const settings = { name: `turn ${turn}`, settle_after: `${1 + turn}s` }
      assert.equal((await ask(by, 'PATCH', '/sandbox/worlds/current', settings))!.status, 200)
      const { body: seen } = (await ask(elsewhere, 'GET', '/sandbox/worlds/current'))!
      assert.deepEqual(
        [seen.name, seen.settings.settle_after],
        [settings.name, formatDuration(1_000 * (1 + turn))],
      )
      if (turn >= KEYS) continue
      const { body: key } = (await ask(by, 'POST', '/sandbox/api-keys', {}))!
      const user = `${key.username}:${key.password}`
      assert.equal(
        (await ask(elsewhere, 'GET', '/sandbox/clock', undefined, user))!.status,
        200,
        `turn ${turn}: ${JSON.stringify(key)}`,
      )
      assert.equal((await ask(by, 'DELETE', `/sandbox/api-keys/${key.username}`))!.status, 200)
      assert.equal((await ask(elsewhere, 'GET', '/sandbox/clock', undefined, user))!.status, 401)
    }
    await ask(c, 'PATCH', '/sandbox/worlds/current', { settle_after: '1s' })
    await ask(a, 'POST', '/sandbox/clock/freeze')
    assert.equal((await pay(a, 'order-1', receiver.url))!.status, 201)
    assert.equal(await statusOf(c, 'order-1'), 'queued')
    assert.equal((await ask(b, 'POST', '/sandbox/clock/advance', { by: '1h' }))!.status, 200)
    assert.equal(await statusOf(c, 'order-1'), 'success')
    assert.equal((await ask(c, 'GET', '/sandbox/clock'))!.body.frozen, true)
    return `${turns} changes in turn, each seen by the other at once; ${KEYS} keys made by one, used by another, revoked and refused; a clock frozen by one, advanced by another, read by a third`
  } finally {
    await group.end()
    receiver.close()
  }
}
