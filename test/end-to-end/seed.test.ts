import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { files } from '../../src/lib/files.ts'
import type { Seed, SeedTeam } from '../../src/generated/control/types.ts'
import { temporaryFolder } from '../support/folder.ts'
import { started } from '../cli/process.ts'
import { ask, startProcess } from '../support/process.ts'

const team = (id: number, changes: Partial<SeedTeam> = {}): SeedTeam => ({
  id,
  organization_id: 1,
  name: `Team ${id}`,
  uuid: `team-${id}`,
  currency: 'KES',
  country: 'KE',
  kyc_tier: 1,
  members: { 5: 4, 6: 1 },
  ...changes,
})
const user = (id: number, name: string) => ({
  id,
  first_name: name,
  last_name: 'K',
  email: `${name}@duka.example`,
  organization_ids: [1],
})
const seed: Seed = {
  organizations: [{ id: 1, name: 'Duka', currency: 'KES', admin_id: 6 }],
  users: [user(5, 'clerk'), user(6, 'wanjiru')],
  api_keys: [
    { username: 'clerk', password: 'kalamu', user_id: 5, default_account_id: 900 },
    { username: 'wanjiru', password: 'siri-kubwa', user_id: 6, default_account_id: 900 },
  ],
  teams: [team(900, { kyc_tier: 0 }), team(901, { wallet: { KES: 1250.5 } })],
  channels: [{ id: 3, account_id: 901, channel_type: 'till', short_code: '543210' }],
}

function seedFile(changes: Partial<Seed> = {}): string {
  const file = join(temporaryFolder(), 'duka.yaml')
  writeFileSync(file, stringify({ ...seed, ...changes }))
  return file
}

/** What the viewer is told; nothing where it is not installed. */
const prefilled = (username: string) =>
  existsSync(files.viewer) ? `&quot;username&quot;:&quot;${username}&quot;` : ''

/** What a sandbox shows: on its first screen, at `/` to a terminal and to a browser, and to the viewer. */
async function shown(env: Record<string, string>) {
  const running = await started([], { PORT: '0', SANDBOX_SETTLE_AFTER: '0', ...env })
  const server = { url: running.base }
  const get = async (path: string, accept: string) =>
    (await fetch(server.url + path, { headers: { accept } })).text()
  const pages = {
    text: await get('/', '*/*'),
    page: await get('/', 'text/html'),
    docs: await get('/docs', 'text/html'),
  }
  const screen = async () => {
    running.stop()
    await running.code
    return running.printed.out
  }
  return { server, ...pages, screen }
}

describe('a sandbox with a seed file', () => {
  it('shows working credentials of the first Team’s owner everywhere, with the source of the password', async () => {
    const file = seedFile()
    const { server, text, page, docs, screen } = await shown({ SANDBOX_SEED_FILE: file })
    const [, username] = /Credentials\s+(\S+), with the password of the seed file/.exec(text)!
    expect(username).toBe('wanjiru')
    const account = '"account_id": 901'
    expect(text).toContain(account)
    expect(page).toContain('<code><bdi>wanjiru</bdi></code>')
    expect(page).toContain('set by the seed file')
    expect(page).toContain('<pre tabindex="0" aria-label="Collect 100 KES"><code>curl -u wanjiru ')
    expect(page).toContain('<code>901</code> KES, 1,250.50 in its wallet')
    expect(docs).not.toContain('demo')
    expect(docs).toContain(prefilled('wanjiru'))

    const credentials = `${username}:siri-kubwa`
    const payment = JSON.parse(/-d '(\{[^']*)'/.exec(text)![1]!) as object
    expect((await ask(server, 'POST', '/api/v2/payments', payment, credentials)).status).toBe(201)
    expect((await ask(server, 'GET', '/api/v2/account/900', undefined, 'wanjiru+a:siri-kubwa')).status).toBe(
      200,
    )
    expect((await ask(server, 'GET', '/api/v2/account/900')).status).toBe(401)

    const first = await screen()
    expect(first).toMatch(/Credentials +wanjiru +HTTP Basic, password from \S+duka\.yaml\n/)
    expect(first).toContain('900 KES, empty; 901 KES 1,250.50, channel 3')
    expect(first).toContain('wanjiru+anything is a separate world')
    expect(first).toContain(`curl -u wanjiru ${server.url}/api/v2/payments `)
    expect(first).toContain('"account_id":901')
    for (const said of [text, page, docs, first]) expect(said).not.toMatch(/siri-kubwa|kalamu|demo/)
  })

  it('shows what is possible if no Team can collect', async () => {
    const { server, text, screen } = await shown({
      SANDBOX_SEED_FILE: seedFile({ teams: [team(900, { currency: 'TZS', country: 'TZ' })], channels: [] }),
    })
    const [, path] = /curl -u wanjiru http:\/\/[^/]+(\S+)/.exec(text)!
    expect((await ask(server, 'GET', path!, undefined, 'wanjiru:siri-kubwa')).status).toBe(200)
    expect(await screen()).toContain(`curl -u wanjiru ${server.url}${path}`)
  })

  it('warns that the password setting has no effect, and shows a public password', async () => {
    const { text, screen } = await shown({
      SANDBOX_SEED_FILE: 'seeds/default.yaml',
      SANDBOX_API_PASSWORD: 'not to be shown',
    })
    expect(text).toContain('demo:demo')
    const first = await screen()
    expect(first).toMatch(
      /settings without effect.*SANDBOX_API_PASSWORD.*seeds\/default\.yaml contains its own API keys/,
    )
    expect(first).toContain('demo:demo   HTTP Basic; viewer:viewer is read-only')
    expect(first).not.toContain('not to be shown')
  })

  it('signs callbacks of its default world with SANDBOX_SIGNING_SECRET', async () => {
    const SANDBOX_SIGNING_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const server = await startProcess({ SANDBOX_SEED_FILE: seedFile(), SANDBOX_SIGNING_SECRET })
    const secretOf = async (name: string) =>
      (await ask(server, 'GET', '/sandbox/signing-secret', undefined, `${name}:siri-kubwa`)).body.secret
    expect(await secretOf('wanjiru')).toBe(SANDBOX_SIGNING_SECRET)
    expect(await secretOf('wanjiru+a')).not.toBe(SANDBOX_SIGNING_SECRET)
  })
})

describe('a sandbox with credentials by environment', () => {
  it('shows the username and the source of the password', async () => {
    const env = { SANDBOX_API_USERNAME: 'shop', SANDBOX_API_PASSWORD: 'not-to-be-shown' }
    const { server, text, docs, screen } = await shown(env)
    expect(text).toContain('shop, with the password of SANDBOX_API_PASSWORD')
    expect(docs).toContain(prefilled('shop'))
    expect((await ask(server, 'GET', '/api/v2/account/63', undefined, 'shop:not-to-be-shown')).status).toBe(
      200,
    )
    const first = await screen()
    expect(first).toContain('shop:$SANDBOX_API_PASSWORD')
    for (const said of [text, docs, first]) expect(said).not.toContain('not-to-be-shown')
  })
})
