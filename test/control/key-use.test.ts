import { describe, expect, it } from 'vitest'
import { shared } from '../storage/engine/engines.ts'
import { type Answer, client, NOON, startSandbox } from '../support/sandbox.ts'

const keys = '/sandbox/api-keys'
const account = '/api/v2/account/63'
const MINUTE = 60_000

/** By when one has heard of what the other noted, on a machine that does much else. */
const SOON = { timeout: 30_000 }

const usedIn = ({ body }: Answer) =>
  Object.fromEntries(
    body.api_keys.map((key: { username: string; last_used_at: string | null }) => [
      key.username,
      key.last_used_at,
    ]),
  )

describe.each(shared)('the last use of an API key, on an engine %s', (_, create) => {
  const time = { now: NOON }
  async function start() {
    time.now = NOON
    const [engine, another] = await create()
    const parts = { wall: () => time.now }
    return {
      engine,
      one: await startSandbox({}, { engine, ...parts }),
      other: await startSandbox({}, { engine: another, ...parts }),
    }
  }

  it('is reported to the minute, across processes', async () => {
    const { one, other } = await start()
    const [w, v] = [client(one.sandbox, 'demo+x', 'demo'), client(other.sandbox, 'demo+x', 'demo')]
    const made = (await w.post(keys, { account_id: 63, role_id: 4 })).body
    expect(made.last_used_at).toBeNull()
    expect(usedIn(await w.get(keys))).toMatchObject({
      'demo+x': '2026-06-13T12:00:00.000Z',
      [made.username]: null,
    })
    time.now += 30_000
    expect((await client(other.sandbox, made.username, made.password).get(account)).status).toBe(200)
    await expect
      .poll(async () => usedIn(await w.get(keys))[made.username], SOON)
      .toBe('2026-06-13T12:00:30.000Z')
    time.now += MINUTE - 1
    await client(other.sandbox, made.username, made.password).get(account)
    expect(usedIn(await v.get(keys))[made.username]).toBe('2026-06-13T12:00:30.000Z')
    time.now += 1
    await client(other.sandbox, made.username, made.password).get(account)
    expect(usedIn(await v.get(keys))[made.username]).toBe('2026-06-13T12:01:30.000Z')
    expect((await v.delete(`${keys}/${encodeURIComponent(made.username)}`)).body.last_used_at).toBe(
      '2026-06-13T12:01:30.000Z',
    )
  })

  it('survives resets, but not the deletion of a world', async () => {
    const { engine, one } = await start()
    const w = client(one.sandbox, 'demo+x', 'demo')
    const made = (await w.post(keys)).body.username.replace(/\+.*/, '')
    const stranger = client(one.sandbox, 'viewer+x', 'viewer')
    await stranger.get(account)
    engine.worlds.keyUsed('demo+x', made, NOON)
    await w.post('/sandbox/reset')
    time.now += 5 * MINUTE
    expect(usedIn(await w.get(keys))).toEqual({
      'demo+x': '2026-06-13T12:05:00.000Z',
      'viewer+x': '2026-06-13T12:00:00.000Z',
    })
    expect(await engine.worlds.keysUsed('demo+x', [made, 'demo'])).toEqual(new Map([['demo', time.now]]))
    await w.delete('/sandbox/worlds/current')
    expect(await engine.worlds.keysUsed('demo+x', ['demo', 'viewer'])).toEqual(new Map())
  })
})

describe('an expired or revoked key', () => {
  const hint = 'sandbox-hint'

  it('returns 401 like any, with a hint for those who know its password', async () => {
    const time = { now: NOON }
    const { sandbox, world } = await startSandbox({}, { wall: () => time.now })
    const w = world()
    const [ends, goes] = [(await w.post(keys, { expires_in: '2h' })).body, (await w.post(keys)).body]
    const ask = (username: string, password: string) => client(sandbox, username, password).get(account)
    expect((await ask(ends.username, ends.password)).headers.get(hint)).toBeNull()
    await w.delete(`${keys}/${encodeURIComponent(goes.username)}`)
    time.now += 2 * 3_600_000
    const [ended, revoked] = [
      await ask(ends.username, ends.password),
      await ask(goes.username, goes.password),
    ]
    const never = await ask(`nobody+t1`, ends.password)
    expect([ended.status, revoked.status, never.status]).toEqual([401, 401, 401])
    expect(ended.headers.get(hint)).toBe('this API key ended at 2026-06-13T14:00:00.000Z')
    expect(revoked.headers.get(hint)).toBe(
      "this API key was revoked at 2026-06-13T12:00:00Z of its world's clock",
    )
    expect(ended.body).toEqual(never.body)
    for (const { headers } of [
      never,
      await ask(ends.username, 'wrong'),
      await ask(ends.username, ''),
      await ask(goes.username, ends.password),
      await ask('demo+t1', 'wrong'),
      await ask('demo+nowhere', 'demo2'),
    ])
      expect(headers.get(hint)).toBeNull()
    expect(await sandbox.worlds.names()).not.toContain('demo+nowhere')
    expect(
      (await client(sandbox, ends.username, ends.password).post('/sandbox/reset')).headers.get(hint),
    ).toMatch(/ended at/)
  })

  it('gives no hint if the headers of the sandbox are off', async () => {
    const { sandbox, world } = await startSandbox({ SANDBOX_HEADERS: 'off' })
    const w = world()
    const { username, password } = (await w.post(keys)).body
    await w.delete(`${keys}/${encodeURIComponent(username)}`)
    const refused = await client(sandbox, username, password).get(account)
    expect([refused.status, refused.headers.get(hint)]).toEqual([401, null])
  })
})
