import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { defaultSeedText } from '../../openapi/seed-files.ts'
import { defaultSeed } from '../../src/worlds/default-seed.ts'
import { readSeed, readSeedFile } from '../../src/worlds/read-seed.ts'
import { client, startSandbox } from '../support/sandbox.ts'

const folder = await mkdtemp(join(tmpdir(), 'seed-'))
afterAll(() => rm(folder, { recursive: true }))

const text = `organizations:
  - { id: 1, name: Duka, currency: KES, admin_id: 5 }
users:
  - id: 5
    first_name: Wanjiru
    last_name: K
    email: w@duka.example
    organization_ids: [1]
api_keys:
  - { username: duka, password: siri, user_id: 5, default_account_id: 900 }
teams:
  - id: 900
    organization_id: 1
    name: Duka
    uuid: duka
    currency: KES
    country: KE
    kyc_tier: 1
    members: { 5: 1 }
    wallet: { KES: 250 }
channels:
  - { id: 3, account_id: 900, channel_type: till, short_code: "543210" }
costs:
  - cost: 2
`

describe('the shipped seed file', () => {
  it('equals the built-in seed', async () => {
    const file = fileURLToPath(new URL('../../seeds/default.yaml', import.meta.url))
    expect(await readSeedFile(file)).toEqual(defaultSeed('demo', 'demo'))
    expect(await readFile(file, 'utf8')).toBe(await defaultSeedText())
  })
})

describe('a seed file', () => {
  it('may contain ids from the range of the sandbox', async () => {
    const file = join(folder, 'high.yaml')
    await writeFile(file, text.replaceAll('900', '1001'))
    const { sandbox } = await startSandbox({ SANDBOX_SEED_FILE: file })
    const duka = client(sandbox, 'duka', 'siri')
    const team = { organization_id: 1, name: 'Second', dial_code: '254', number: '712345678' }
    expect((await duka.post('/api/v2/accounts', team)).body.account.id).toBe(1002)
  })

  it('determines the initial state of the default world and its copies', async () => {
    const file = join(folder, 'shop.yaml')
    await writeFile(file, text)
    const { sandbox } = await startSandbox({ SANDBOX_SEED_FILE: file })
    for (const username of ['duka', 'duka+a']) {
      const duka = client(sandbox, username, 'siri')
      expect((await duka.get('/api/v2/account/900')).body.account.name).toBe('Duka')
      const settings = (await duka.get('/sandbox/worlds/current')).body.settings
      expect(settings.costs).toEqual([{ up_to: null, cost: 2 }])
      expect((await duka.get('/sandbox/ledger')).body.balanced).toBe(true)
    }
    expect((await client(sandbox, 'demo', 'demo').get('/sandbox/ledger')).status).toBe(401)
  })

  it.each([
    [
      '  - { id: 1, name: Duka',
      '  - { id: 1, nme: Duka',
      '2:14: organizations[0].nme is not known here (did you mean name?)',
    ],
    ['kyc_tier: 1', 'kyc_tier: high', '18:15: teams[0].kyc_tier'],
    ['admin_id: 5', 'admin_id: 6', '2:51: organizations[0].admin_id: there is no user 6; known are 5'],
    ['members: { 5: 1 }', 'members: { 6: 1 }', '19:19: teams[0].members.6: there is no user 6'],
    ['channel_type: till', 'channel_type: tillx', '22:45: channels[0].channel_type'],
    ['email: w@duka.example', 'email: w', '7:12: users[0].email'],
    ['    uuid: duka\n', '', '12:5: teams[0].uuid is required'],
    ['id: 5\n', 'id: 5: 6\n', '4:9: '],
    ['wallet: { KES: 250 }', 'wallet: { KES: -250 }', '20:20: teams[0].wallet.KES'],
  ])('with %j as %j is rejected with its position', async (right, wrong, message) => {
    await expect(readSeed(text.replace(right, wrong), 'shop.yaml')).rejects.toThrow(`shop.yaml:${message}`)
  })

  it('is rejected with all issues at once', async () => {
    const wrong = text.replace('admin_id: 5', 'admin_id: 6').replace('account_id: 900,', 'account_id: 901,')
    const error = await readSeed(wrong, 'shop.yaml').catch((thrown: Error) => thrown)
    expect((error as Error).message.split('\n')).toHaveLength(2)
  })

  it('that does not exist is named', async () => {
    await expect(readSeedFile(join(folder, 'none.yaml'))).rejects.toThrow(
      /none\.yaml: no such file; pass the path of a YAML or JSON file/,
    )
  })
})
