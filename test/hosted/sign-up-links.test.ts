import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMemoryEngine } from '../../src/storage/engine/memory/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startMailServer } from '../support/mail-server.ts'
import { openToStrangers } from './strangers.ts'

const account = '/api/v2/account/63'
const email = 'asha@shop.example'
const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
const HOUR = 3_600_000
const PUBLIC = 'https://pay.example/sandbox'
/** Deriving one from the password takes long. */
const SANDBOX_SIGN_UP_SECRET = 'a secret of sixteen'

type Env = Record<string, string>
type Parts = Parameters<typeof openToStrangers>[1]

async function open(env: Env = {}, parts: Parts = {}) {
  const server = await startMailServer()
  const given = { SANDBOX_SMTP_URL: server.url, SANDBOX_PUBLIC_URL: PUBLIC, SANDBOX_SIGN_UP_SECRET }
  const opened = await openToStrangers({ ...given, ...env }, parts)
  return { ...opened, ...clientOf(opened), mails: server.mails }
}

function clientOf({ ask }: Pick<Awaited<ReturnType<typeof openToStrangers>>, 'ask'>) {
  const send = (path: string, fields: Record<string, string>, from?: string) =>
    ask('POST', path, { body: new URLSearchParams(fields).toString(), headers: form, ...(from && { from }) })
  return {
    signUp: (fields: Record<string, string>, from?: string) =>
      send('/sign-up', { action: 'sign-up', ...fields }, from),
    recover: (address: string, from?: string) =>
      send('/sign-up/recover', { action: 'recover', email: address }, from),
    look: (link: string) => ask('GET', link.slice(PUBLIC.length), { headers: { accept: 'text/html' } }),
    use: (link: string, fields: Record<string, string>) => send(link.slice(PUBLIC.length), fields),
  }
}

const linkIn = (mail = '') => /https:\/\/pay\.example\/sandbox\/sign-up\/link\?token=[\w.-]+/.exec(mail)![0]

const credentialsIn = (text: string) => ({
  username: /API_USERNAME=(\S+)/.exec(text)![1]!,
  password: /API_PASSWORD=(\S+)/.exec(text)![1]!,
})

async function withWorld(env: Env = {}, parts: Parts = {}) {
  const opened = await open(env, parts)
  await opened.signUp({ email, name: 'Duka' })
  const made = await opened.use(linkIn(opened.mails().at(-1)), { action: 'create' })
  return { ...opened, as: credentialsIn(made.text) }
}

describe('sign-up by e-mail', () => {
  it('creates the world when the link of the mail is confirmed, once', async () => {
    const { ask, signUp, look, use, mails, sandbox } = await open()
    const page = await ask('GET', '/sign-up')
    expect(page.text).toMatch(/<input name="email" type="email"[^]*href="\/sandbox\/sign-up\/recover"/)
    const sent = await signUp({ email: ` ${email.toUpperCase()} `, name: 'Duka' })
    expect(sent.text).toContain('Check your mail')
    expect(await sandbox.worlds.names()).toEqual(['demo'])
    expect(mails()).toHaveLength(1)
    expect(mails()[0]).toContain(`RCPT TO:<${email}>`)
    const link = linkIn(mails()[0])
    const seen = await look(link)
    expect(seen.text).toContain('Your e-mail address is confirmed.')
    expect(seen.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(seen.headers.get('cache-control')).toBe('no-store')
    expect(await sandbox.worlds.names()).toEqual(['demo'])

    const both = await Promise.all([use(link, { action: 'create' }), use(link, { action: 'create' })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const { text } = both.find(({ status }) => status === 200)!
    const as = credentialsIn(text)
    const world = await ask('GET', '/sandbox/worlds/current', { as })
    expect(world.body).toMatchObject({ name: 'Duka', parent: 'demo' })
    for (const { status, text: refused } of [await look(link), await use(link, { action: 'create' })]) {
      expect(status).toBe(400)
      expect(refused).toMatch(/this link was used[^]*href="\/sandbox\/sign-up"/)
    }
    expect(await sandbox.worlds.names()).toHaveLength(2)
    const [[written]] = [[...sandbox.worlds.all()].slice(1)]
    expect(JSON.stringify(written!.template)).not.toContain('shop.example')
  })

  it('starts from the control API', async () => {
    const { ask, mails, use } = await open()
    const sent = await ask('POST', '/sandbox/sign-up/links', { body: { email } })
    expect([sent.status, sent.body]).toEqual([202, { expires_at: '2026-06-13T12:30:00.000Z' }])
    expect((await use(linkIn(mails()[0]), { action: 'create' })).status).toBe(200)
    const { ask: plain } = await openToStrangers()
    expect((await plain('POST', '/sandbox/sign-up/links', { body: { email } })).status).toBe(404)
    expect((await plain('GET', '/sign-up')).text).not.toContain('email')
    expect((await plain('GET', '/sign-up/recover')).status).toBe(404)
  })

  it.each([
    'asha',
    '@shop.example',
    'asha@localhost',
    'a@b.example, c@d.example',
    'asha@shop.example\r\nBcc: eve@evil.example',
    '"a b"@shop.example',
    '<asha@shop.example>',
    `${'a'.repeat(65)}@shop.example`,
    `a@${'b.'.repeat(130)}example`,
  ])('400 for %j', async (address) => {
    const { signUp, mails, ask } = await open()
    expect((await signUp({ email: address })).status).toBe(400)
    expect((await ask('POST', '/sandbox/sign-up/links', { body: { email: address } })).status).toBe(400)
    expect(mails()).toEqual([])
  })

  it('sends nothing that a stranger chose to an address', async () => {
    const { ask, mails } = await open()
    await ask('POST', '/sandbox/sign-up/links', {
      body: { email, name: 'Win at evil.example' },
      headers: { 'x-forwarded-host': 'evil.example' },
    })
    expect(mails()[0]).not.toContain('evil.example')
  })

  it('can be required, and limited to domains', async () => {
    const env = { SANDBOX_SIGN_UP_EMAIL: 'required', SANDBOX_MAIL_DOMAINS: 'shop.example' }
    const { ask, signUp, mails } = await open(env)
    expect((await ask('POST', '/sandbox/sign-up')).body.error_message).toMatch(/SANDBOX_SIGN_UP_EMAIL/)
    expect((await signUp({})).text).toContain('email must be an address')
    expect((await signUp({ email: 'asha@else.example' })).text).toContain('SANDBOX_MAIL_DOMAINS')
    expect((await signUp({ email })).status).toBe(200)
    expect(mails()).toHaveLength(1)
    await expect(openToStrangers({ SANDBOX_SIGN_UP_EMAIL: 'required' })).rejects.toThrow(
      'SANDBOX_SIGN_UP_EMAIL "required" needs SANDBOX_SMTP_URL and SANDBOX_PUBLIC_URL',
    )
    await expect(openToStrangers({ SANDBOX_SIGN_UP_SECRET: 'short' })).rejects.toThrow(/has 5 characters/)
  })

  it('503 without a mail server, and nothing was created or logged about the address', async () => {
    const { signUp, recover, sandbox, lines } = await open({
      SANDBOX_SMTP_URL: 'smtp://127.0.0.1:1',
      LOG_LEVEL: 'info',
    })
    for (const { status, text } of [await signUp({ email }), await recover(email)]) {
      expect(status).toBe(503)
      expect(text).toContain('nothing was created')
    }
    expect(await sandbox.worlds.names()).toEqual(['demo'])
    expect(lines.join('')).toContain('sign-up mail not sent')
    expect(lines.join('')).not.toContain('shop.example')
  })

  it('404 for a link that expired, was changed, or is of another sandbox', async () => {
    const { signUp, look, use, mails, time } = await open()
    await signUp({ email })
    const link = linkIn(mails()[0])
    const changed = [
      link.slice(0, -1),
      `${link}A`,
      `${link}.x`,
      link.replace('token=', 'token=e'),
      `${PUBLIC}/sign-up/link`,
    ]
    for (const each of changed) {
      const { status, text } = await look(each)
      expect(status).toBe(404)
      expect(text).toContain('href="/sandbox/sign-up"')
    }
    const other = await open({ SANDBOX_SIGN_UP_SECRET: 'another secret of sixteen' })
    expect((await other.look(link)).status).toBe(404)
    expect((await use(link, { action: 'recover', world: 'demo' })).status).toBe(404)
    time.now += HOUR / 2
    expect((await look(link)).status).toBe(200)
    time.now += 1
    expect((await look(link)).status).toBe(404)
    expect((await use(link, { action: 'create' })).status).toBe(404)
  })

  it('needs the sign-up token, which must still be valid when the link is used', async () => {
    const engine = await createMemoryEngine()
    const env = { SANDBOX_SIGN_UP: 'token', SANDBOX_SIGN_UP_TOKENS: 'anna:sixteen-letters-1' }
    const { signUp, recover, mails } = await open(env, { engine })
    expect((await signUp({ email })).status).toBe(401)
    expect((await signUp({ email, token: 'sixteen-letters-1' })).status).toBe(200)
    const other = await open({ ...env, SANDBOX_SIGN_UP_TOKENS: 'ben:sixteen-letters-2' }, { engine })
    expect((await other.use(linkIn(mails()[0]), { action: 'create' })).text).toContain('anna was revoked')
    expect((await recover(email)).status).toBe(200)
  })
})

describe('limits of mails', () => {
  it('429 above the rate of a caller, of an address in any spelling, and of all', async () => {
    const { signUp, recover, mails, time } = await open({ SANDBOX_SIGN_UP_RATE: '8' })
    for (let n = 0; n < 5; n++) expect((await recover(email, '192.0.2.1')).status).toBe(200)
    expect((await signUp({ email: 'b@shop.example' }, '192.0.2.1')).text).toMatch(
      /5 mails an hour for this caller/,
    )
    expect((await recover('ASHA@shop.example', '192.0.2.2')).text).toMatch(/5 mails an hour to this address/)
    for (let n = 0; n < 3; n++)
      expect((await signUp({ email: `${n}@a.example` }, `192.0.2.${9 + n}`)).status).toBe(200)
    const refused = await signUp({ email: 'c@shop.example' }, '192.0.2.20')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
    expect(mails()).toHaveLength(8)
    time.now += HOUR
    expect((await recover(email, '192.0.2.1')).status).toBe(200)
  })
})

describe('recovery of a lost world', () => {
  it('replaces the passwords of one world, once, without a difference for unknown addresses', async () => {
    const { ask, as, recover, look, use, mails, time } = await withWorld()
    time.now += 60_000
    const [known, unknown] = [await recover(email), await recover('nobody@shop.example')]
    expect(known.text).toBe(unknown.text)
    const [mail, other] = mails().slice(1)
    expect(other).not.toContain('sign-up/link')
    expect(other).toContain('There are none')
    const link = linkIn(mail)
    expect((await look(link)).text).toContain(as.username)
    expect((await ask('GET', account, { as })).status).toBe(200)
    const replaced = await use(link, { action: 'recover', world: as.username })
    expect(replaced.text).not.toContain('SIGNING_SECRET')
    const fresh = credentialsIn(replaced.text)
    expect(fresh.username).toBe(as.username)
    expect((await ask('GET', account, { as })).status).toBe(401)
    expect((await ask('GET', account, { as: fresh })).status).toBe(200)
    expect((await look(link)).text).toContain('This link was used for all your worlds.')
    expect((await use(link, { action: 'recover', world: as.username })).status).toBe(404)
    expect((await ask('GET', account, { as: fresh })).status).toBe(200)
  })

  it('one of two concurrent uses wins', async () => {
    const { as, recover, use, mails, time } = await withWorld()
    time.now += 60_000
    await recover(email)
    const link = linkIn(mails().at(-1))
    const fields = { action: 'recover', world: as.username }
    const both = await Promise.all([use(link, fields), use(link, fields)])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('opens only worlds of the address', async () => {
    const { stranger, recover, use, mails, time, sandbox } = await withWorld()
    const other = await stranger()
    time.now += 60_000
    await recover(email)
    const link = linkIn(mails().at(-1))
    for (const world of [other.id, 'demo', 'demo+nobody'])
      expect((await use(link, { action: 'recover', world })).status).toBe(404)
    expect((await use(link, { action: 'create' })).status).toBe(400)
    expect(await sandbox.worlds.names()).toHaveLength(3)
  })

  it('stays over a reset, the restoration of an older snapshot, and a restart', async () => {
    const SANDBOX_DB = join(temporaryFolder(), 'rows.json')
    const first = await withWorld({ SANDBOX_DB })
    const { as } = first
    await first.ask('POST', '/sandbox/snapshots', { as, body: {} })
    first.time.now += 60_000
    await first.recover(email)
    const link = linkIn(first.mails().at(-1))
    const fresh = credentialsIn((await first.use(link, { action: 'recover', world: as.username })).text)
    const isReplaced = async ({ ask }: Pick<typeof first, 'ask'>) => {
      expect((await ask('GET', account, { as })).status).toBe(401)
      expect((await ask('GET', account, { as: fresh })).status).toBe(200)
    }
    expect((await first.ask('POST', '/sandbox/snapshots/1/restore', { as: fresh })).status).toBe(200)
    await isReplaced(first)
    expect((await first.ask('POST', '/sandbox/reset', { as: fresh })).status).toBe(200)
    await isReplaced(first)
    await first.sandbox.close()
    expect(readFileSync(SANDBOX_DB, 'utf8')).not.toContain('shop.example')

    const second = await open({ SANDBOX_DB })
    await isReplaced(second)
    second.time.now += 120_000
    expect((await second.look(link)).text).toContain('This link was used')
    await second.recover(email)
    expect((await second.look(linkIn(second.mails()[0]))).text).toContain(as.username)
  })
})
