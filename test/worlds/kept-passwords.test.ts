import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { client, startSandbox } from '../support/sandbox.ts'

const keysOf = async (sandbox: Awaited<ReturnType<typeof startSandbox>>['sandbox'], world: string) =>
  (await sandbox.worlds.dump(world)).apiKeys!

it('files and exports contain no passwords, and hashes of unchanged passwords stay the same', async () => {
  const db = join(temporaryFolder(), 'rows.json')
  const env = { SANDBOX_DB: db, SANDBOX_API_PASSWORD: 'operators-own' }
  const { sandbox } = await startSandbox(env)
  const owner = client(sandbox, 'demo', 'operators-own')
  const seed = {
    organizations: [{ id: 1, name: 'Shop', currency: 'KES', admin_id: 1 }],
    users: [{ id: 1, first_name: 'A', last_name: 'B', email: 'a@shop.example', organization_ids: [1] }],
    api_keys: [{ username: 'till', password: 'seeds-own', user_id: 1, default_account_id: 9 }],
    teams: [
      {
        id: 9,
        organization_id: 1,
        name: 'Till',
        currency: 'KES',
        country: 'KE',
        kyc_tier: 1,
        uuid: 'till',
        members: { 1: 1 },
      },
    ],
  }
  const [key, own] = await Promise.all([
    owner.post('/sandbox/api-keys', { account_id: 63 }),
    owner.post('/sandbox/worlds', { seed }),
  ])
  expect([key.status, own.status]).toEqual([201, 201])
  const till = client(sandbox, own.body.api_keys[0].username, 'seeds-own')
  expect((await till.get('/api/v2/account/9')).status).toBe(200)
  expect((await till.post('/sandbox/reset')).status).toBe(200)
  expect((await till.get('/api/v2/account/9')).status).toBe(200)
  const exported = JSON.stringify((await till.get('/sandbox/export')).body)
  const before = await keysOf(sandbox, 'demo')
  await sandbox.close()
  for (const text of [readFileSync(db, 'utf8'), exported])
    for (const password of ['operators-own', 'seeds-own', key.body.password])
      expect(text).not.toContain(password)

  const again = await startSandbox(env)
  expect(await keysOf(again.sandbox, 'demo')).toEqual(before)
  expect((await client(again.sandbox, 'demo', 'operators-own').get('/api/v2/account/63')).status).toBe(200)
  expect(
    (await client(again.sandbox, key.body.username, key.body.password).get('/api/v2/account/63')).status,
  ).toBe(200)
})
