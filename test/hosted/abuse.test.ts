/**
 * What one stranger can do to another in a sandbox for strangers. Each row is tried by one of two who signed up, and leaves the
 * other, and the owner, as well served as before. SECURITY.md has the same table.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { startMailServer } from '../support/mail-server.ts'
import { openToStrangers, OWNER } from './strangers.ts'

const account = '/api/v2/account/63'
const room = { SANDBOX_SIGN_UP_ROWS: '256KB' }
const opened = await openToStrangers({ SANDBOX_SIGN_UP_ADDRESS_RATE: '5', SANDBOX_CALLBACK_TIMEOUT: '1s' })
const small = await openToStrangers({
  ...room,
  SANDBOX_WORLD_REQUEST_LOG: '1MB',
  SANDBOX_WORLD_SCENARIOS: '8KB',
  SANDBOX_WORLD_INBOX_REQUESTS: '60',
})
const audited = await openToStrangers({ SANDBOX_AUDIT_ENTRIES: '20', SANDBOX_SIGN_UP_REQUESTS: '100' })
const { url: SANDBOX_SMTP_URL, mails } = await startMailServer()
const mailed = await openToStrangers({ SANDBOX_SMTP_URL, SANDBOX_PUBLIC_URL: 'https://pay.example' })
const other = await opened.stranger()
let callers = 0
const linkFor = (email: string, purpose: 'create' | 'recover') =>
  mailed.ask('POST', '/sandbox/sign-up/links', { body: { email, purpose }, from: `198.51.100.${++callers}` })
const payment = (changes: object = {}) =>
  collection({ callback_url: 'https://shop.example/callback' }, changes)

type Stranger = Awaited<ReturnType<typeof opened.stranger>>
const stream = { accept: 'text/event-stream' }

/** Asks again and again until it is refused. @returns the refusal */
async function untilRefused(most: number, ask: (n: number) => Promise<{ status: number; text: string }>) {
  for (let n = 0; n < most; n++) {
    const answer = await ask(n)
    if (answer.status >= 400) return answer
  }
  throw new Error(`${most} were taken`)
}

const budgetOf = async ({ get }: Stranger, name: string) => {
  const { body } = await get('/sandbox/worlds/current')
  return (body.budget as { name: string; used: number; limit: number }[]).find((each) => each.name === name)!
}

/** Waits for what a socket brings up to its end. */
const overSocket = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(opened.port, '127.0.0.1', () => socket.write(text))
    let got = ''
    socket.on('data', (data) => (got += data.toString()))
    socket.on('close', () => resolve(got))
    socket.on('error', reject)
  })

interface Row {
  readonly tried: string
  readonly stopped: string
  readonly run: (stranger: Stranger) => Promise<void>
  /** Another sandbox than most rows are tried in. */
  readonly at?: typeof opened
}

const rows: readonly Row[] = [
  {
    tried: 'fill memory with payments',
    stopped: '429 above `SANDBOX_SIGN_UP_ROWS`',
    at: small,
    async run({ post }) {
      const refusal = await untilRefused(400, (n) =>
        post('/api/v2/payments', payment({ external_reference: `r-${n}` })),
      )
      expect(refusal).toMatchObject({ status: 429, text: expect.stringContaining('SANDBOX_SIGN_UP_ROWS') })
    },
  },
  {
    tried: 'fill memory with the request log',
    stopped: 'oldest entries removed (`SANDBOX_WORLD_REQUEST_LOG`)',
    at: small,
    async run(stranger) {
      for (let n = 0; n < 30; n++) await stranger.post('/api/v2/payments', { note: 'x'.repeat(100_000) })
      const { used, limit } = await budgetOf(stranger, 'request_log')
      expect(used).toBeLessThanOrEqual(limit)
    },
  },
  {
    tried: 'fill memory with snapshots',
    stopped: '429 above `SANDBOX_SIGN_UP_ROWS` or `SANDBOX_WORLD_SNAPSHOT_COUNT`',
    at: small,
    async run({ post }) {
      expect((await untilRefused(60, () => post('/sandbox/snapshots', {}))).status).toBe(429)
    },
  },
  {
    tried: 'fill memory with inbox messages',
    stopped: 'oldest removed above 500 or `SANDBOX_WORLD_INBOXES`; 429 above `SANDBOX_WORLD_INBOX_REQUESTS`',
    at: small,
    async run(stranger) {
      const { made, post, get } = stranger
      const inbox = new URL(made.inbox_url as string)
      const refusal = await untilRefused(61, (n) =>
        small.ask('POST', inbox.pathname.replace(/[^/]+$/, `name-${n}`) + inbox.search, {
          body: 'x'.repeat(60_000),
        }),
      )
      expect(refusal).toMatchObject({ status: 429, text: expect.stringContaining('inbox_requests') })
      const { used, limit } = await budgetOf(stranger, 'inboxes')
      expect(used).toBeGreaterThan(0)
      expect(used).toBeLessThanOrEqual(limit)
      expect((await get('/sandbox/inboxes')).body.inboxes.length).toBeLessThan(10)
      expect((await post('/api/v2/payments', payment())).status).toBe(201)
    },
  },
  {
    tried: 'fill memory with scenario files',
    stopped: '429 above `SANDBOX_WORLD_SCENARIOS`',
    at: small,
    async run({ put }) {
      const file = {
        title: 'Long',
        summary: 'x'.repeat(500),
        when: { operation: 'createCollection' },
        then: { delay: '1s' },
      }
      expect((await untilRefused(40, (n) => put(`/sandbox/scenarios/own-${n}`, file))).status).toBe(429)
    },
  },
  {
    tried: 'fill memory with patterns that grow when compiled',
    stopped: '429 above `SANDBOX_WORLD_SCENARIOS`; 32 MB for all worlds',
    async run({ put }) {
      const file = (n: number) => ({
        title: 'Grows',
        when: { reference: { matches: `(a|b){1,50}(c|d){1,50}${n}` } },
        then: { delay: '1s' },
      })
      const refusal = await untilRefused(5, (n) => put(`/sandbox/scenarios/grows-${n}`, file(n)))
      expect(refusal).toMatchObject({ status: 429, text: expect.stringContaining('when.reference.matches') })
    },
  },
  {
    tried: 'call agent tools in bulk',
    stopped: 'each message counts towards `SANDBOX_SIGN_UP_REQUESTS`; 400 above 10 per request',
    at: small,
    async run({ post, ...stranger }) {
      const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' })
      const batch = (length: number) => Array.from({ length }, (_, id) => message(id))
      const accept = { accept: 'application/json, text/event-stream' }
      const before = await budgetOf({ post, ...stranger }, 'requests')
      await post('/mcp', message(0), accept)
      await post('/mcp', batch(10), accept)
      // The look at the budget is a request too.
      expect((await budgetOf({ post, ...stranger }, 'requests')).used).toBe(before.used + 12)
      const refusal = await post('/mcp', batch(11), accept)
      expect(refusal).toMatchObject({
        status: 400,
        text: expect.stringContaining('at most 10 messages, got 11'),
      })
    },
  },
  {
    tried: 'run an expensive pattern',
    stopped: 'linear-time matching with a step limit per request',
    async run({ post }) {
      for (let n = 0; n < 3; n++)
        await post('/api/v2/payments', payment({ external_reference: `${'a'.repeat(200)}!${n}` }))
      const found = await post('/sandbox/requests/find', { reference: { matches: '^(a+)+$' } })
      expect([200, 400]).toContain(found.status)
    },
  },
  {
    tried: 'send huge bodies',
    stopped: '413 before they are read',
    async run({ post }) {
      const answer = await post('/api/v2/payments', payment({ note: 'x'.repeat(3 << 20) })).catch(
        () => undefined,
      )
      expect(answer === undefined || answer.status === 413).toBe(true)
    },
  },
  {
    tried: 'send a compression bomb',
    stopped: '400: compressed bodies are rejected',
    async run({ post }) {
      const { status } = await post('/api/v2/payments', new Uint8Array(100), { 'content-encoding': 'gzip' })
      expect([400, 415]).toContain(status)
    },
  },
  {
    tried: 'send deeply nested JSON',
    stopped: '400',
    async run({ post }) {
      expect((await post('/api/v2/payments', '['.repeat(100_000) + ']'.repeat(100_000))).status).toBe(400)
    },
  },
  {
    tried: 'keep hundreds of requests open',
    stopped: 'each waits alone and ends after a minute',
    async run() {
      const sockets = Array.from({ length: 200 }, () => connect(opened.port, '127.0.0.1'))
      for (const socket of sockets)
        socket.on('error', () => {}).write('POST /api/v2/payments HTTP/1.1\r\nhost: a\r\n')
      expect((await other.get(account)).status).toBe(200)
      for (const socket of sockets) socket.destroy()
    },
  },
  {
    tried: 'smuggle a second request',
    stopped: '400 and the connection closes',
    async run() {
      const both = `POST /api/v2/payments HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\nhost: a\r\n\r\n`
      const got = await overSocket(both)
      expect(got).toMatch(/^HTTP\/1\.1 400/)
      expect(got).not.toContain('"ok"')
    },
  },
  {
    tried: 'send callbacks to internal addresses',
    stopped: 'not called, in any notation',
    async run({ post, get }) {
      const inner = [
        'http://127.0.0.1:8080/',
        'http://2130706433/',
        'http://[::ffff:a9fe:a9fe]/',
        'http://0x7f.1/',
        'http://metadata.google.internal/',
      ]
      for (const [n, callback_url] of inner.entries())
        await post('/api/v2/payments', payment({ callback_url, external_reference: `inner-${n}` }))
      await post('/sandbox/settle')
      const { callbacks } = (await get('/sandbox/callbacks')).body
      expect(callbacks).toHaveLength(inner.length)
      for (const { state } of callbacks) expect(state).toBe('failed')
      // Others are sent theirs meanwhile.
      expect(opened.sent.filter(({ body }) => body.includes('inner-'))).toEqual([])
    },
  },
  {
    tried: 'scan ports with callbacks',
    stopped: 'only the ports in `SANDBOX_CALLBACK_PORTS`',
    async run({ post }) {
      for (const port of [22, 25, 6379])
        await post(
          '/api/v2/payments',
          payment({ callback_url: `http://victim.example:${port}/`, external_reference: `p-${port}` }),
        )
      await post('/sandbox/settle')
      expect(opened.sent.filter(({ url }) => url.includes('victim.example'))).toEqual([])
    },
  },
  {
    tried: 'flood a host with callbacks',
    stopped: '`SANDBOX_SIGN_UP_CALLBACKS` per minute; the rest waits',
    async run({ post }) {
      for (let n = 0; n < 80; n++)
        await post(
          '/api/v2/payments',
          payment({ callback_url: 'http://flooded.example/', external_reference: `f-${n}` }),
        )
      await post('/sandbox/settle')
      expect(opened.sent.filter(({ url }) => url.includes('flooded')).length).toBeLessThanOrEqual(60)
    },
  },
  {
    tried: 'create callback loops',
    stopped: '400 or 403 for requests from a sandbox',
    async run({ post }) {
      const answer = await post('/api/v2/payments', payment(), { 'cdn-loop': 'payments-sandbox' })
      expect(answer.status).toBe(400)
    },
  },
  {
    tried: 'send e-mail to anyone',
    stopped: 'stays in the mailbox; with SMTP, `SANDBOX_MAIL_DOMAINS` and 20 per minute',
    async run({ post }) {
      const invite = (n: number) =>
        post('/api/v2/account_invites', { organization_id: 1, account_id: 63, email: `v${n}@victim.example` })
      expect((await untilRefused(30, invite)).status).toBe(429)
    },
  },
  {
    tried: 'discover whose e-mail address has a world',
    stopped: 'the same response, and a mail, for every address',
    at: mailed,
    async run() {
      const before = mails().length
      await linkFor('known@shop.example', 'create')
      const link = /\/sign-up\/link\?token=[\w.-]+/.exec(mails().at(-1)!)![0]
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      expect((await mailed.ask('POST', link, { body: 'action=create', headers })).status).toBe(200)
      const [known, unknown] = [
        await linkFor('known@shop.example', 'recover'),
        await linkFor('unknown@shop.example', 'recover'),
      ]
      expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
      expect(mails()).toHaveLength(before + 3)
    },
  },
  {
    tried: 'flood an e-mail address with links',
    stopped: '429 above five per hour',
    at: mailed,
    async run() {
      const before = mails().length
      expect((await untilRefused(9, () => linkFor('victim@shop.example', 'recover'))).status).toBe(429)
      expect(mails()).toHaveLength(before + 5)
    },
  },
  {
    tried: 'take a world name before its user does',
    stopped: 'only the owner creates worlds by name; other names are random',
    async run({ password }) {
      const before = opened.sandbox.worlds.all().length
      for (const username of ['demo+squatted', 'demo', `${other.id}x`])
        expect(
          (await opened.ask('GET', account, { as: { username, password }, from: '192.0.2.1' })).status,
        ).toBe(401)
      expect(opened.sandbox.worlds.all()).toHaveLength(before)
    },
  },
  {
    tried: 'push entries out of the audit log',
    stopped: 'a stranger’s entries only replace entries of strangers',
    at: audited,
    async run({ post, delete: remove }) {
      const victim = await audited.stranger()
      await audited.ask('POST', '/sandbox/reset', { as: OWNER })
      await victim.post('/sandbox/reset')
      for (let n = 0; n < 25; n++) await post('/sandbox/reset')
      expect((await remove(`/sandbox/worlds/${encodeURIComponent(victim.id)}`)).status).toBe(404)
      const listOf = async (as: typeof OWNER) =>
        (await audited.ask('GET', '/sandbox/audit', { as })).body.entries as readonly object[]
      expect(await listOf(OWNER)).toMatchObject([{ operation: 'resetWorld', world: 'demo' }])
      expect(await listOf(victim)).toMatchObject([
        { operation: 'resetWorld', actor: { username: victim.username } },
      ])
    },
  },
  {
    tried: 'discover the names of worlds',
    stopped: 'the same 401 for existing and missing worlds',
    async run() {
      const guess = (username: string) =>
        opened.ask('GET', account, { as: { username, password: 'wrong' }, from: '192.0.2.2' })
      const [there, none] = [await guess(other.id), await guess('demo+w-aaaaaaaaaaaa')]
      expect(there.body).toEqual(none.body)
      expect([there.status, none.status]).toEqual([401, 401])
    },
  },
  {
    tried: 'guess passwords and tokens',
    stopped: '429 above `SANDBOX_FAILURE_LIMIT` per minute',
    async run() {
      const guess = (n: number) =>
        opened.ask('GET', account, { as: { username: other.id, password: `g${n}` }, from: '192.0.2.3' })
      const admin = () =>
        opened.ask('GET', '/__admin/health', { headers: { authorization: 'Bearer g' }, from: '192.0.2.3' })
      for (let n = 0; n < 20; n++)
        expect([(await guess(n)).status, (await admin()).status]).toEqual([401, 401])
      expect((await guess(99)).status).toBe(429)
      expect((await admin()).status).toBe(429)
      expect((await other.get(account)).status).toBe(200)
    },
  },
  {
    tried: 'forge `X-Forwarded-For`',
    stopped: 'trusted only from `SANDBOX_TRUSTED_PROXIES`',
    async run() {
      const spoofed = (n: number) =>
        opened.ask('GET', account, {
          as: { username: other.id, password: 'g' },
          from: `1.2.3.${n}, 192.0.2.4`,
        })
      for (let n = 0; n < 20; n++) await spoofed(n)
      expect((await spoofed(99)).status).toBe(429)
    },
  },
  {
    tried: 'read or change another world by id',
    stopped: '404',
    async run({ get, post, delete: remove, patch }) {
      await other.post('/api/v2/payments', payment({ external_reference: 'secret-order' }))
      const id = encodeURIComponent(other.id)
      for (const answer of [
        await get(`/sandbox/worlds/${id}`),
        await remove(`/sandbox/worlds/${id}`),
        await patch(`/sandbox/worlds/${id}`, { name: 'mine' }),
        await get('/sandbox/transactions/secret-order'),
      ])
        expect(answer.status).toBe(404)
      expect(
        (await post('/api/global/transaction-status', { request_id: 'secret-order' })).text,
      ).not.toContain('254712')
      expect((await get('/sandbox/worlds')).text).not.toContain(other.id)
      expect((await other.get('/sandbox/transactions/secret-order')).status).toBe(200)
    },
  },
  {
    tried: 'use an inbox key with another world',
    stopped: 'inbox keys are bound to one world',
    async run({ id }) {
      const theirs = new URL(other.made.inbox_url as string)
      const [, proof] = theirs.searchParams.get('key')!.split('.')
      const forged = `${Buffer.from(id).toString('base64url')}.${proof}`
      const { status } = await opened.ask('POST', `/sandbox/inbox/default?key=${forged}`, {
        body: '{}',
        from: '192.0.2.5',
      })
      expect(status).toBe(401)
    },
  },
  {
    tried: 'open event streams by the hundred',
    stopped: '429 above `SANDBOX_WORLD_STREAMS`',
    async run(stranger) {
      const left = new AbortController()
      const open = () =>
        fetch(`${opened.url}/sandbox/events`, {
          headers: {
            ...stream,
            authorization: opened.authorizationOf(stranger),
            'x-forwarded-for': stranger.from,
          },
          signal: left.signal,
        })
      for (let n = 0; n < 20; n++) expect((await open()).status).toBe(200)
      expect((await open()).status).toBe(429)
      left.abort()
    },
  },
  {
    tried: 'start waits by the thousand',
    stopped: '429 above `SANDBOX_WORLD_WAITERS`',
    async run(stranger) {
      const left = new AbortController()
      const wait = () =>
        fetch(`${opened.url}/sandbox/callbacks/wait?timeout=60s`, {
          headers: { authorization: opened.authorizationOf(stranger), 'x-forwarded-for': stranger.from },
          signal: left.signal,
        }).catch(() => undefined)
      const answers = Array.from({ length: 60 }, wait)
      const first = await Promise.race(answers)
      expect(first!.status).toBe(429)
      left.abort()
    },
  },
  {
    tried: 'send many requests',
    stopped: '429 above `SANDBOX_SIGN_UP_REQUESTS` and `SANDBOX_ADDRESS_RATE_LIMIT`',
    at: audited,
    async run({ get }) {
      const answers = await Promise.all(Array.from({ length: 120 }, () => get(account)))
      expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
    },
  },
  {
    tried: 'advance the clock by sixty years',
    stopped: 'jobs run once, in slices that let others through',
    async run({ post }) {
      for (let n = 0; n < 5; n++) await post('/api/v2/payments', payment({ external_reference: `y-${n}` }))
      const moving = post('/sandbox/clock/advance', { actor: '20000d' })
      expect((await other.get(account)).status).toBe(200)
      expect([200, 400]).toContain((await moving).status)
    },
  },
  {
    tried: 'import a world that exceeds its budget',
    stopped: '429; imports never change the owner',
    at: small,
    async run(stranger) {
      const exported = (await stranger.get('/sandbox/export')).body
      const mail = exported.rows.users[0]
      const users = [
        ...exported.rows.users,
        ...Array.from({ length: 2_000 }, (_, n) => ({ ...mail, id: 10_000 + n })),
      ]
      const answer = await stranger.post('/sandbox/import', {
        ...exported,
        rows: { ...exported.rows, users },
      })
      expect(answer.status).toBe(429)
      const state = exported.rows.state.filter(({ name }: { name: string }) => name !== 'origin')
      await stranger.post('/sandbox/import', { ...exported, rows: { ...exported.rows, state } })
      expect((await budgetOf(stranger, 'rows')).limit).toBe(256 * 1024)
    },
  },
  {
    tried: 'generate a huge history',
    stopped: '429 before anything is generated',
    async run({ post }) {
      const answer = await post('/sandbox/worlds', {
        populate: { teams: 500, transactions: 100_000, days: 366 },
      })
      expect(answer.status).toBe(429)
    },
  },
  {
    tried: 'take all available worlds',
    stopped: '429 above `SANDBOX_SIGN_UP_COPIES`',
    async run({ post }) {
      expect((await untilRefused(9, () => post('/sandbox/worlds', {}))).status).toBe(429)
      const { status, body } = await opened.ask('POST', '/sandbox/worlds', { as: OWNER })
      expect(status).toBe(201)
      await opened.ask('DELETE', `/sandbox/worlds/${encodeURIComponent(body.world.id)}`, { as: OWNER })
    },
  },
  {
    tried: 'sign up repeatedly',
    stopped: '429 above `SANDBOX_SIGN_UP_ADDRESS_RATE` per hour',
    async run() {
      const again = (n: number) => opened.ask('POST', '/sandbox/sign-up', { from: `2001:db8:7:7::${n}` })
      expect((await untilRefused(9, again)).status).toBe(429)
    },
  },
  {
    tried: 'misuse a read-only link',
    stopped: '403; the key expires and can be revoked',
    async run(stranger) {
      const key = (await stranger.post('/sandbox/api-keys', { user_id: 2, expires_in: '1h' })).body
      const as = { username: key.username as string, password: key.password as string }
      const ask = (method: string, path: string) => opened.ask(method, path, { as, from: '192.0.2.6' })
      expect((await ask('GET', account)).status).toBe(200)
      expect((await ask('POST', '/sandbox/reset')).status).toBe(403)
      expect((await ask('GET', '/sandbox/export')).status).toBe(403)
      expect((await ask('POST', '/sandbox/api-keys')).status).toBe(403)
      opened.time.now += 3_600_000
      expect((await ask('GET', account)).status).toBe(401)
    },
  },
  {
    tried: 'guess the address of a payment page or invitation',
    stopped: '404: addresses contain a proof',
    async run() {
      const page = (path: string) => opened.ask('GET', path, { headers: { accept: 'text/html' } })
      const id = encodeURIComponent(other.id)
      for (const path of [`/checkout/${id}/1`, `/checkout/${id}/1.proof`, '/invites/1'])
        expect((await page(path)).status).toBe(404)
    },
  },
  {
    tried: 'redirect links with the header `Host`',
    stopped: '403 for names outside `SANDBOX_ALLOWED_HOSTS`',
    async run() {
      const named = await openToStrangers({ SANDBOX_ALLOWED_HOSTS: 'sandbox.example' })
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const request = http.get(named.url, { headers: { host: 'evil.example' } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        request.on('error', reject)
      })
      expect(status).toBe(403)
    },
  },
  {
    tried: 'poison a shared cache',
    stopped: '`Authorization` and `no-store`',
    async run({ get }) {
      expect((await get(account)).headers.get('cache-control') ?? '').not.toContain('public')
      const signedUp = await opened.ask('GET', '/sign-up')
      expect(signedUp.headers.get('cache-control')).toBe('no-store')
      expect((await opened.ask('GET', '/dashboard')).headers.get('cache-control') ?? 'no-store').toBe(
        'no-store',
      )
    },
  },
  {
    tried: 'forge requests from a browser (CSRF)',
    stopped: '403 for other origins; no cookies',
    async run() {
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      for (const path of ['/sandbox/reset', '/sandbox/api-keys', '/sandbox/sign-up'])
        expect((await opened.ask('POST', path, { as: other, headers })).status).toBe(403)
      const plain = { ...headers, 'content-type': 'text/plain' }
      expect(
        (await opened.ask('POST', '/api/v2/payments', { as: other, body: '{}', headers: plain })).status,
      ).toBeGreaterThanOrEqual(400)
      expect((await other.get(account)).headers.get('set-cookie')).toBeNull()
    },
  },
  {
    tried: 'frame a page or inject a script',
    stopped: 'content security policy on every page',
    async run() {
      const { headers } = await opened.ask('GET', '/sign-up')
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    },
  },
  {
    tried: 'control the process',
    stopped: '401 without an admin token',
    async run({ post, get }) {
      for (const answer of [
        await post('/__admin/reset'),
        await post('/__admin/shutdown'),
        await get('/__admin/requests'),
      ])
        expect(answer.status).toBe(401)
    },
  },
  {
    tried: 'read secrets from logs or errors',
    stopped: 'redacted; a 500 contains no cause',
    async run({ post, password }) {
      const { text } = await post('/api/v2/payments', { password, token: password, nothing: 'known' })
      expect(text).not.toContain(password)
      expect(text).not.toMatch(/node_modules|\.ts:\d/)
    },
  },
]

describe('in a hosted sandbox, an attacker may try to', () => {
  afterEach(() => {
    // The next one has a minute of its own.
    opened.time.now += 60_000
    small.time.now += 60_000
  })

  it.each(rows)('$tried', async ({ run, at = opened }) => {
    at.time.now += 3_600_000
    await run(await at.stranger())
    opened.time.now += 60_000
    expect((await other.get(account)).status).toBe(200)
    expect(
      (await other.post('/api/v2/payments', payment({ external_reference: `after-${opened.time.now}` })))
        .status,
    ).toBe(201)
    expect((await at.ask('GET', account, { as: OWNER })).status).toBe(200)
  })

  it('SECURITY.md has the same table', () => {
    const guide = readFileSync('SECURITY.md', 'utf8').replace(/ +\|/g, ' |').replace(/-{4,}/g, '---')
    const table = rows.map(({ tried, stopped }) => `| ${tried} | ${stopped} |`).join('\n')
    expect(guide).toContain(table)
  })
})
