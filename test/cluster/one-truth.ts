import assert from 'node:assert/strict'
import { Group } from './group.ts'
import { ask, pay, startReceiver, statusOf } from './processes.ts'

const TURNS = 100

/** What one process did the others know at their next request. */
export async function oneTruth(database: string): Promise<string> {
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url)
  const [a, b, c] = group.members as [
    (typeof group.members)[0],
    (typeof group.members)[0],
    (typeof group.members)[0],
  ]
  try {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const [by, elsewhere] = turn % 2 ? [a, b] : [b, a]
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
    await ask(a, 'POST', '/sandbox/clock/freeze')
    assert.equal((await pay(a, 'order-1', receiver.url))!.status, 201)
    assert.equal(await statusOf(c, 'order-1'), 'queued')
    assert.equal((await ask(b, 'POST', '/sandbox/clock/advance', { by: '1h' }))!.status, 200)
    assert.equal(await statusOf(c, 'order-1'), 'success')
    assert.equal((await ask(c, 'GET', '/sandbox/clock'))!.body.frozen, true)
    return `${TURNS} keys made by one, used by another, revoked and refused; a clock frozen by one, advanced by another, read by a third`
  } finally {
    await group.end()
    receiver.close()
  }
}
