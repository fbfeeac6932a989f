import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConfigError } from '../../src/config/config.ts'
import { collection } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { openToStrangers, OWNER } from './strangers.ts'

const HOUR = 3_600_000
const signUp = '/sandbox/sign-up'
const account = '/api/v2/account/63'

describe('signUp', () => {
  it('201 with a new world, whose passwords are not shown again', async () => {
    const { ask, stranger } = await openToStrangers()
    const answer = await ask('POST', signUp, { body: { name: 'Duka checkout' } })
    expect(answer.status).toBe(201)
    const { credentials, api_keys, world } = answer.body
    expect(world).toMatchObject({ name: 'Duka checkout', parent: 'demo', disposable: true })
    expect(credentials.username).toMatch(/^demo\+w-/)
    expect(api_keys).toHaveLength(2)
    expect((await ask('GET', account, { as: credentials })).status).toBe(200)
    const other = await stranger()
    expect(other.id).not.toBe(world.id)
    expect((await ask('GET', account, { as: { ...credentials, password: other.password } })).status).toBe(401)
    const keys = await ask('GET', '/sandbox/api-keys', { as: credentials })
    expect(keys.text).not.toContain(credentials.password)
  })

  it('201 without a body', async () => {
    const { ask } = await openToStrangers()
    expect((await ask('POST', signUp)).status).toBe(201)
  })

  it('404 while it is off, which is the default', async () => {
    const { world } = await startSandbox()
    const answer = await world().post(signUp, {})
    expect(answer.status).toBe(404)
    expect(answer.body.error_message).toBe(
      'sign-up is off; the operator of the sandbox can turn it on with SANDBOX_SIGN_UP',
    )
    const { ask } = await openToStrangers({ SANDBOX_SIGN_UP: 'off' })
    expect((await ask('GET', '/sign-up')).status).toBe(404)
    expect((await ask('GET', '/', { headers: { accept: 'text/html' } })).text).not.toContain('sign-up')
  })

  it('400 for an unknown field, with a suggestion', async () => {
    const { ask } = await openToStrangers()
    const answer = await ask('POST', signUp, { body: { nmae: 'QA' } })
    expect(answer.status).toBe(400)
    expect(answer.body.error_message).toMatch(/nmae.*name/)
    expect((await ask('POST', signUp, { body: { name: 'x'.repeat(65) } })).status).toBe(400)
    expect((await ask('POST', `${signUp}?seed=1`)).status).toBe(400)
  })

  it('403 for a page of another site, whose readers would all sign up', async () => {
    const { ask, sandbox } = await openToStrangers()
    const headers = { origin: 'https://elsewhere.example' }
    expect((await ask('POST', signUp, { headers })).status).toBe(403)
    const form = await ask('POST', '/sign-up', {
      body: 'action=sign-up',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(form.status).toBe(403)
    expect(sandbox.worlds.all()).toHaveLength(1)
  })

  it('403 for a callback of a sandbox', async () => {
    const { ask } = await openToStrangers()
    const answer = await ask('POST', signUp, { headers: { 'cdn-loop': 'payments-sandbox' } })
    expect(answer.status).toBe(403)
  })
})

describe('with tokens', async () => {
  const tokens = 'workshop:sixteen-letters-1,anna:sixteen-letters-2'
  const { ask, lines } = await openToStrangers({
    SANDBOX_SIGN_UP: 'token',
    SANDBOX_SIGN_UP_TOKENS: tokens,
    LOG_LEVEL: 'info',
  })
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

  it('201 for each of them, with its name in the log', async () => {
    expect((await ask('POST', signUp, bearer('sixteen-letters-1'))).status).toBe(201)
    expect((await ask('POST', signUp, bearer('sixteen-letters-2'))).status).toBe(201)
    expect(lines.join('')).toMatch(/world for a guest.*anna/)
    expect(lines.join('')).not.toContain('sixteen-letters')
  })

  it('401 without a token, with an unknown one, and with credentials of a world', async () => {
    const without = await ask('POST', signUp)
    expect(without.status).toBe(401)
    expect(without.body.error_message).toMatch(/^send Authorization: Bearer /)
    expect((await ask('POST', signUp, bearer('sixteen-letters-3'))).status).toBe(401)
    expect((await ask('POST', signUp, { as: OWNER })).status).toBe(401)
  })

  it('429 after twenty guesses from one address, including the page', async () => {
    const from = '192.0.2.9'
    const guess = () => ask('POST', signUp, { ...bearer('guess-guess-guess'), from })
    for (let n = 0; n < 20; n++) expect((await guess()).status).toBe(401)
    expect((await guess()).status).toBe(429)
    const form = {
      body: 'action=sign-up&token=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    expect((await ask('POST', '/sign-up', { ...form, from })).status).toBe(429)
    expect((await ask('POST', '/sign-up', { ...form, from: '192.0.2.10' })).status).toBe(401)
  })

  it('does not start without tokens, with a short one, or with a duplicate name', async () => {
    const start = (given: string) => startSandbox({ SANDBOX_SIGN_UP: 'token', SANDBOX_SIGN_UP_TOKENS: given })
    for (const given of ['', 'anna:short', 'a-token-of-nobody', 'a:sixteen-letters-1,a:sixteen-letters-2'])
      await expect(start(given)).rejects.toThrow(ConfigError)
    await expect(start('anna:short')).rejects.not.toThrow('short,')
  })
})

describe('limits', () => {
  it('429 for the sixth sign-up of an address within an hour, but not for another address', async () => {
    const { ask, time } = await openToStrangers()
    for (let n = 0; n < 5; n++) expect((await ask('POST', signUp)).status).toBe(201)
    const refused = await ask('POST', signUp)
    expect(refused.status).toBe(429)
    expect(refused.body.error_message).toBe(
      'more than 5 worlds an hour for this address; try again in 3600 s',
    )
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect((await ask('POST', signUp, { from: '198.51.100.2' })).status).toBe(201)
    time.now += HOUR
    expect((await ask('POST', signUp)).status).toBe(201)
  })

  it('429 beyond the total rate limit', async () => {
    const { ask, stranger } = await openToStrangers({ SANDBOX_SIGN_UP_RATE: '2' })
    await stranger()
    await stranger()
    expect((await ask('POST', signUp)).body.error_message).toMatch(/^more than 2 worlds an hour for all/)
  })

  it('counts an IPv6 network of 64 bits as one address', async () => {
    const { ask } = await openToStrangers({ SANDBOX_SIGN_UP_ADDRESS_RATE: '1' })
    expect((await ask('POST', signUp, { from: '2001:db8:1:2::1' })).status).toBe(201)
    expect((await ask('POST', signUp, { from: '2001:db8:1:2:ffff::9' })).status).toBe(429)
    expect((await ask('POST', signUp, { from: '2001:db8:1:3::1' })).status).toBe(201)
  })

  it('429 with Retry-After at the maximum number of worlds, after dropping idle ones', async () => {
    const { ask, stranger, time } = await openToStrangers({
      SANDBOX_SIGN_UP_WORLDS: '2',
      SANDBOX_SIGN_UP_TTL: '2h',
    })
    const first = await stranger()
    time.now += HOUR
    const second = await stranger()
    const full = await ask('POST', signUp)
    expect(full.status).toBe(429)
    expect(full.body.error_message).toMatch(
      /^there are 2 worlds of guests already \(SANDBOX_SIGN_UP_WORLDS\)/,
    )
    expect(full.headers.get('retry-after')).toBe('3600')
    expect((await first.get(account)).status).toBe(200)
    expect((await ask('GET', account, { as: OWNER })).status).toBe(200)
    time.now += 2 * HOUR - 1
    expect((await first.get(account)).status).toBe(200)
    time.now += 1
    expect((await ask('POST', signUp)).status).toBe(201)
    expect((await first.get(account)).status).toBe(200)
    expect((await second.get(account)).status).toBe(401)
  })

  it('reserves worlds for the owner', async () => {
    const { ask, stranger } = await openToStrangers({ SANDBOX_SIGN_UP_WORLDS: '1' })
    await stranger()
    expect((await ask('POST', signUp)).status).toBe(429)
    expect((await ask('POST', '/sandbox/worlds', { as: OWNER })).status).toBe(201)
  })

  it('429 with Retry-After when SANDBOX_MAX_WORLDS is reached first', async () => {
    const { ask, stranger } = await openToStrangers({ SANDBOX_MAX_WORLDS: '2' })
    await stranger()
    const full = await ask('POST', signUp)
    expect(full.status).toBe(429)
    expect(full.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  it('never exceeds the maximum with concurrent requests', async () => {
    const { ask, sandbox } = await openToStrangers({ SANDBOX_SIGN_UP_WORLDS: '3' })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => ask('POST', signUp, { from: `192.0.2.${n}` })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(sandbox.worlds.all()).toHaveLength(4)
  })
})

describe('the world of a guest', () => {
  it('has its own budgets, shown with their settings', async () => {
    const { stranger, ask } = await openToStrangers({ SANDBOX_SIGN_UP_REQUESTS: '5' })
    const { get } = await stranger()
    const { body } = await get('/sandbox/worlds/current')
    const limits = Object.fromEntries(
      (body.budget as { name: string; limit: number; setting: string }[]).map(({ name, limit, setting }) => [
        name,
        [limit, setting],
      ]),
    )
    expect(limits).toMatchObject({
      rows: [16_777_216, 'SANDBOX_SIGN_UP_ROWS'],
      requests: [5, 'SANDBOX_SIGN_UP_REQUESTS'],
      callbacks: [60, 'SANDBOX_SIGN_UP_CALLBACKS'],
      streams: [20, 'SANDBOX_WORLD_STREAMS'],
    })
    for (let n = 0; n < 4; n++) expect((await get(account)).status).toBe(200)
    expect((await get(account)).body.error_message).toMatch(/5 of 5 .*\(SANDBOX_SIGN_UP_REQUESTS\)/)
    const owners = await ask('GET', '/sandbox/worlds/current', { as: OWNER })
    expect(JSON.stringify(owners.body.budget)).not.toContain('SIGN_UP')
  })

  it('keeps its budget over a reset, a snapshot, an import of another world, and a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'guests-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const env = { SANDBOX_DB: join(folder, 'rows.json') }
    const { stranger, sandbox, ask } = await openToStrangers(env)
    const { get, post, username, password } = await stranger()
    const exported = (await ask('GET', '/sandbox/export', { as: OWNER })).body
    expect((await post('/sandbox/import', exported)).status).toBe(200)
    expect((await post('/sandbox/snapshots', {})).status).toBe(201)
    expect((await post('/sandbox/snapshots/1/restore')).status).toBe(200)
    expect((await post('/sandbox/reset')).status).toBe(200)
    expect((await get('/sandbox/worlds/current')).text).toContain('SANDBOX_SIGN_UP_ROWS')
    await sandbox.close()
    const again = await openToStrangers(env)
    const shown = await again.ask('GET', '/sandbox/worlds/current', { as: { username, password } })
    expect(shown.text).toContain('SANDBOX_SIGN_UP_ROWS')
  })

  it('allows a few further worlds of the same kind, which allow none', async () => {
    const { stranger, ask } = await openToStrangers({ SANDBOX_SIGN_UP_COPIES: '2' })
    const { post, delete: remove } = await stranger()
    const made = [await post('/sandbox/worlds', {}), await post('/sandbox/worlds', {})]
    expect(made.map(({ status }) => status)).toEqual([201, 201])
    const third = await post('/sandbox/worlds', {})
    expect(third.status).toBe(429)
    expect(third.body.error_message).toMatch(/has 2 of 2 further worlds \(SANDBOX_SIGN_UP_COPIES\)/)
    const { credentials, world } = made[0]!.body
    const shown = await ask('GET', '/sandbox/worlds/current', { as: credentials })
    expect(shown.text).toContain('SANDBOX_SIGN_UP_ROWS')
    expect((await ask('POST', '/sandbox/worlds', { as: credentials })).status).toBe(429)
    expect((await remove(`/sandbox/worlds/${encodeURIComponent(world.id)}`)).status).toBe(200)
    const both = await Promise.all([post('/sandbox/worlds', {}), post('/sandbox/worlds', {})])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 429])
  })

  it('can be managed by the owner of the sandbox', async () => {
    const { stranger, ask } = await openToStrangers()
    const { id, get } = await stranger()
    const listed = await ask('GET', '/sandbox/worlds', { as: OWNER })
    expect(listed.text).toContain(id)
    const removed = await ask('DELETE', `/sandbox/worlds/${encodeURIComponent(id)}`, { as: OWNER })
    expect(removed.status).toBe(200)
    expect((await get(account)).status).toBe(401)
  })

  it('accepts payments and sends callbacks', async () => {
    const { stranger, sent } = await openToStrangers()
    const { post } = await stranger()
    const { world } = await startSandbox()
    const paid = await post(
      '/api/v2/payments',
      collection(world(), { callback_url: 'https://shop.example/callback' }),
    )
    expect(paid.status).toBe(201)
    await post('/sandbox/settle')
    expect(sent.map(({ url }) => url)).toEqual(['https://shop.example/callback'])
  })
})

describe('the page', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }

  it('is linked from the first page, works without a script, and shows the credentials once', async () => {
    const { ask } = await openToStrangers()
    const first = await ask('GET', '/', { headers: { accept: 'text/html' } })
    expect(first.text).toContain('href="/sign-up"')
    expect((await ask('GET', '/')).text).toMatch(/curl -X POST http.*\/sandbox\/sign-up/)
    const asked = await ask('GET', '/sign-up')
    expect(asked.text).toMatch(/<form method="post">[^]*name="name"[^]*goes when nobody|7 days/)
    expect(asked.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    const shown = await ask('POST', '/sign-up', { body: 'action=sign-up&name=<b>Duka', headers: form })
    expect(shown.status).toBe(200)
    expect(shown.headers.get('cache-control')).toBe('no-store')
    const username = /API_USERNAME=(\S+)/.exec(shown.text)![1]!
    const password = /API_PASSWORD=(\S+)/.exec(shown.text)![1]!
    const world = await ask('GET', '/sandbox/worlds/current', { as: { username, password } })
    expect(world.body.name).toBe('<b>Duka')
    expect(shown.text).not.toContain('<b>Duka')
    expect(shown.text).toContain(`/dashboard#/${encodeURIComponent(username)}/live?k=`)
    expect(shown.text).not.toContain('<script')
  })

  const send = async (headers: Record<string, string>) => {
    const { ask } = await openToStrangers()
    return ask('POST', '/sign-up', { body: 'action=sign-up', headers: { ...form, ...headers } })
  }

  it.each([
    ['a page without a referrer', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    [
      'a page behind a proxy that changes Host',
      { origin: 'https://sandbox.example', 'sec-fetch-site': 'same-origin' },
    ],
  ])('returns 200 to its form in a browser, on %s', async (_, headers) => {
    const { status, text } = await send(headers)
    expect([status, text]).toEqual([200, expect.stringContaining('API_USERNAME=')])
  })

  it('names its origin to its own form, for browsers that send no Sec-Fetch-Site', async () => {
    const { ask, url } = await openToStrangers()
    expect((await ask('GET', '/sign-up')).headers.get('referrer-policy')).toBe('same-origin')
    const headers = { ...form, origin: url }
    expect((await ask('POST', '/sign-up', { body: 'action=sign-up', headers })).status).toBe(200)
  })

  it.each([
    ['of another site', { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }],
    ['of another site that hides its name', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['of a sandboxed frame, over plain HTTP', { origin: 'null' }],
    ['of another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['of another site, over plain HTTP', { origin: 'http://shop.example' }],
    ['of an extension', { origin: 'chrome-extension://abc', 'sec-fetch-site': 'none' }],
    ['of a site that no browser names', { origin: 'null', 'sec-fetch-site': 'same-origin, cross-site' }],
  ])('returns 403 to a form %s', async (_, headers) => {
    expect((await send(headers as Record<string, string>)).status).toBe(403)
  })

  it('shows errors as a page: too many sign-ups, a long name, an unknown button', async () => {
    const { ask } = await openToStrangers({ SANDBOX_SIGN_UP_ADDRESS_RATE: '1' })
    const send = (body: string) => ask('POST', '/sign-up', { body, headers: form })
    expect((await send(`action=sign-up&name=${'x'.repeat(65)}`)).status).toBe(400)
    expect((await send('action=other')).status).toBe(400)
    expect((await send('action=sign-up')).status).toBe(200)
    const refused = await send('action=sign-up')
    expect(refused.status).toBe(429)
    expect(refused.text).toMatch(/<h1>Too many requests<\/h1>[^]*try again in \d+ s/)
  })

  it('has a field for the token if one is required', async () => {
    const { ask } = await openToStrangers({
      SANDBOX_SIGN_UP: 'token',
      SANDBOX_SIGN_UP_TOKENS: 'workshop:sixteen-letters-1',
    })
    expect((await ask('GET', '/sign-up')).text).toContain('name="token" type="password"')
    const send = (token: string) =>
      ask('POST', '/sign-up', { body: `action=sign-up&token=${token}`, headers: form })
    expect((await send('sixteen-letters-2')).status).toBe(401)
    expect((await send('sixteen-letters-1')).status).toBe(200)
  })
})

describe('readers of the documentation', () => {
  const env = {
    SANDBOX_SIGN_UP: 'off',
    SANDBOX_READER_WORLDS: 'on',
    SANDBOX_EMBED_ORIGINS: 'https://docs.example',
  }
  const reader = '/docs/reader'

  it('get a world each with their first request, for an hour', async () => {
    const { ask, time } = await openToStrangers(env)
    const embedded = await ask('GET', '/docs/embed')
    expect(embedded.text).toContain(reader)
    expect(embedded.headers.get('content-security-policy')).toContain(reader)
    const { status, body, headers } = await ask('POST', reader)
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await ask('GET', account, { as: body })).status).toBe(200)
    expect((await ask('POST', '/sandbox/worlds', { as: body })).status).toBe(429)
    expect((await ask('POST', reader)).body.username).not.toBe(body.username)
    time.now += HOUR
    await ask('POST', reader)
    expect((await ask('GET', account, { as: OWNER })).status).toBe(200)
  })

  it('are counted by address and in total, separately from sign-ups', async () => {
    const { ask } = await openToStrangers({
      ...env,
      SANDBOX_SIGN_UP: 'open',
      SANDBOX_READER_ADDRESS_RATE: '2',
    })
    for (const status of [201, 201, 429]) expect((await ask('POST', reader)).status).toBe(status)
    expect((await ask('POST', signUp)).status).toBe(201)
  })

  it('403 for a page of another site', async () => {
    const { ask } = await openToStrangers(env)
    expect((await ask('POST', reader, { headers: { origin: 'https://docs.example' } })).status).toBe(403)
    expect((await ask('POST', reader, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  })

  it('get no world while it is off', async () => {
    const { ask } = await openToStrangers({ ...env, SANDBOX_READER_WORLDS: 'off' })
    expect((await ask('POST', reader)).status).toBe(404)
    expect((await ask('GET', '/docs/embed')).text).not.toContain(reader)
  })
})
