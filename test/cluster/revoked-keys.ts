import assert from 'node:assert/strict'
import { startProxy } from '../support/tcp-proxy.ts'
import { ask, type Sandbox, startReceiver, startSandbox } from './processes.ts'

const RACES = 50
const AT_ONCE = 5
/** Delay of each statement for a process far from the database, milliseconds. */
const AWAY = 40

/** Keys are revoked while another process takes or restores a snapshot; none of them works afterwards. */
export async function revokedKeys(database: string): Promise<string> {
  const proxy = await startProxy(database, AWAY)
  const receiver = await startReceiver()
  const [near, far] = await Promise.all([startSandbox(database), startSandbox(proxy.url)])
  try {
    const revived: string[] = []
    for (let n = 0; n < RACES; n += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, k) => {
          const race = n + k
          if (await (race % 2 ? snapshotRace : restoreRace)(near, far, `demo+race-${race}:demo`, race))
            revived.push(`race ${race}`)
        }),
      )
    assert.deepEqual(revived, [])
    return `${RACES} races of a revocation against a snapshot or its restore, ${revived.length} keys revived`
  } finally {
    for (const each of [near, far]) each.signal('SIGKILL')
    await Promise.all([near.ended, far.ended])
    receiver.close()
    proxy.close()
  }
}

/** Revokes a key while the other process reads or writes a snapshot. Returns whether the key works again. */
async function snapshotRace(near: Sandbox, far: Sandbox, user: string, race: number): Promise<boolean> {
  const key = await makeKey(near, user)
  const [taken] = await Promise.all([
    request(far, 'POST', '/sandbox/snapshots', {}, user),
    revokeAfter(race, near, key, user),
  ])
  await request(near, 'POST', `/sandbox/snapshots/${taken.id}/restore`, undefined, user)
  return works(near, far, key)
}

async function restoreRace(near: Sandbox, far: Sandbox, user: string, race: number): Promise<boolean> {
  const key = await makeKey(near, user)
  const { id } = await request(near, 'POST', '/sandbox/snapshots', {}, user)
  await Promise.all([
    request(far, 'POST', `/sandbox/snapshots/${id}/restore`, undefined, user),
    revokeAfter(race, near, key, user),
  ])
  return works(near, far, key)
}

/** Each race revokes at a different moment. */
async function revokeAfter(race: number, near: Sandbox, key: Key, user: string): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, (race % 17) * AWAY * 0.75))
  // The restore may be resetting the world.
  for (let left = 5; ; left -= 1) {
    const answer = await ask(near, 'DELETE', `/sandbox/api-keys/${key.username}`, undefined, user)
    if (answer?.status === 200) return
    assert.ok(left > 0 && answer?.status === 503, `the revocation was answered ${answer?.status}`)
  }
}

interface Key {
  readonly username: string
  readonly password: string
}

const makeKey = (near: Sandbox, user: string): Promise<Key> =>
  request(near, 'POST', '/sandbox/api-keys', { account_id: 63, role_id: 1 }, user)

async function works(near: Sandbox, far: Sandbox, { username, password }: Key): Promise<boolean> {
  const statuses = await Promise.all(
    [near, far].map(
      async (each) =>
        (await ask(each, 'GET', '/sandbox/worlds/current', undefined, `${username}:${password}`))?.status,
    ),
  )
  return statuses.some((status) => status !== 401)
}

async function request(sandbox: Sandbox, method: string, path: string, body: unknown, user: string) {
  const answer = await ask(sandbox, method, path, body, user)
  assert.ok(
    answer && answer.status < 300,
    `${method} ${path} was answered ${answer?.status} ${JSON.stringify(answer?.body)}`,
  )
  return answer.body
}
