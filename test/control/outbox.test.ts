import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeMail } from '../../src/service/domain/mails.ts'
import { mailRules, whyKept } from '../../src/sandbox/jobs.ts'
import { temporaryFolder } from '../support/folder.ts'
import { socketReceiver } from '../support/live.ts'
import { startMailServer } from '../support/mail-server.ts'
import { call, client, hosted, NOON, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const invitation = { organization_id: 1, account_id: 63, email: 'new@demo.example', role_id: 3 }

describe('the mailbox', () => {
  it('contains the mail of an invitation, with text, HTML and link', async () => {
    const w = world()
    await w.post('/api/v2/account_invites', invitation)
    const [mail] = (await w.get('/sandbox/outbox')).body.mails
    expect(mail).toMatchObject({ id: 1, to: 'new@demo.example', subject: 'You are invited to Demo Team' })
    expect(mail.text).toContain(mail.link)
    expect(mail.html.match(/<a [^>]*href="([^"]+)"/g)).toHaveLength(2)
    expect(mail.html).toContain(`href="${mail.link}"`)
    expect((await w.get('/sandbox/outbox/1')).body).toEqual(mail)
    expect((await w.get('/sandbox/outbox?to=else@demo.example')).body.mails).toEqual([])
    expect((await world().get('/sandbox/outbox/1')).status).toBe(404)
    expect((await w.get('/sandbox/outbox/one')).status).toBe(400)
    expect((await w.delete('/sandbox/outbox')).body).toEqual({ deleted: 1 })
    expect((await w.get('/sandbox/outbox')).body.mails).toEqual([])
  })

  it('is read a page at a time, and cleared as a whole', async () => {
    const w = world()
    await w.get('/sandbox/outbox')
    const mailTo = (id: number) => ({
      id,
      to: id % 1_000 === 7 ? 'rare@demo.example' : 'often@demo.example',
      subject: `mail ${id}`,
      text: '',
      link: '',
      sent_at: NOON,
    })
    await w.world().change(({ rows }) => {
      for (let id = 1; id <= 2_500; id++) rows.insert('mails', mailTo(id))
    })
    const read = async (query: string) => {
      const { body } = await w.get(`/sandbox/outbox?${query}`)
      return [body.mails.map(({ id }: { id: number }) => id), body.next_before]
    }
    const { body } = await w.get('/sandbox/outbox')
    expect([body.mails.length, body.mails[0].id, body.next_before]).toEqual([100, 2_500, 2_401])
    expect(await read('before=3&limit=5')).toEqual([[2, 1], null])
    expect(await read('to=rare@demo.example&limit=2')).toEqual([[2_007, 1_007], 1_007])
    expect(await read('to=rare@demo.example&limit=2&before=1007')).toEqual([[7], null])
    expect(await read('search=MAIL%2024&limit=2')).toEqual([[2_499, 2_498], 2_498])
    expect(await read('search=RARE&limit=2')).toEqual([[2_007, 1_007], 1_007])
    expect((await w.get('/sandbox/outbox?limit=1001')).status).toBe(400)
    expect((await w.delete('/sandbox/outbox')).body).toEqual({ deleted: 2_500 })
    expect(await read('')).toEqual([[], null])
    expect((await w.delete('/sandbox/outbox')).body).toEqual({ deleted: 0 })
  })

  it('keeps the last 1,000 mails', async () => {
    const w = world()
    await w.get('/sandbox/outbox')
    await w.world().change((tx) => {
      for (let n = 0; n < 1_003; n++) writeMail(tx, { to: 'a@b.example', subject: '', text: '', link: '' })
    })
    const { mails, next_before } = (await w.get('/sandbox/outbox?limit=1000')).body
    expect([mails.length, mails[0].id, mails.at(-1).id, next_before]).toEqual([1_000, 1_003, 4, null])
    expect((await w.get('/sandbox/outbox/3')).status).toBe(404)
  })

  it('escapes names in HTML', async () => {
    const w = world()
    await w.put('/api/v2/accounts', { account_id: 63, description: 'x' })
    await w.world().change(({ rows }) => {
      const team = rows.get('teams', 63)!
      rows.put('teams', { ...team, name: '<img src=x onerror=alert(1)>' })
    })
    await w.post('/api/v2/account_invites', invitation)
    expect((await w.get('/sandbox/outbox/1')).body.html).not.toContain('<img')
  })

  it('has HTML for light and dark mode that loads nothing', async () => {
    const w = world()
    await w.post('/api/v2/account_invites', invitation)
    const { html, link } = (await w.get('/sandbox/outbox/1')).body
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toContain('name="color-scheme" content="light dark"')
    expect(html).toContain('@media (prefers-color-scheme: dark)')
    expect(html).toMatch(/<table role="presentation"[^>]* style="/)
    expect(html.replaceAll(link, '')).not.toMatch(/https?:|src=|url\(|@import|<script/)
  })

  it('isolates right-to-left names', async () => {
    const w = world()
    await w.get('/sandbox/outbox')
    await w.world().change(({ rows }) => {
      rows.put('teams', { ...rows.get('teams', 63)!, name: 'متجر \u202eabc' })
    })
    await w.post('/api/v2/account_invites', invitation)
    const { subject, text, html } = (await w.get('/sandbox/outbox/1')).body
    expect(subject).toBe('You are invited to \u2068متجر \u202eabc\u2069')
    expect(text).toContain('join \u2068متجر \u202eabc\u2069 as')
    expect(html).toContain('join <bdi>متجر \u202eabc</bdi> as')
  })

  it('sends mails by SMTP as well', async () => {
    const { url, arrived } = await startMailServer()
    const sending = await startSandbox({ SANDBOX_SMTP_URL: url })
    await sending.world().post('/api/v2/account_invites', invitation)
    const all = await arrived
    expect(all).toContain('RCPT TO:<new@demo.example>')
    expect(all).toContain('Subject: You are invited to Demo Team')
    expect(all).toContain('Content-Type: text/html')
  })

  it('shows why a mail is not sent, until it is', async () => {
    const silent = await socketReceiver(() => {})
    const sending = await startSandbox({ SANDBOX_SMTP_URL: `smtp://127.0.0.1:${silent.port}` })
    const w = sending.world()
    await w.post('/api/v2/account_invites', invitation)
    const mail = async () => (await w.get('/sandbox/outbox/1')).body
    expect(await mail()).not.toHaveProperty('failure')
    const failed = {
      times: 2,
      at: NOON,
      error: 'Error: connect ECONNREFUSED',
      abandoned: false,
      next_at: NOON + 5,
    }
    await w.world().change(({ rows }) => rows.put('mails', { ...rows.get('mails', 1)!, failed }))
    expect((await mail()).failure).toEqual({
      failures: 2,
      failed_at: '2026-06-13T12:00:00.000Z',
      error: 'Error: connect ECONNREFUSED',
      next_attempt_at: '2026-06-13T12:00:00.005Z',
    })
    const exported = (await w.get('/sandbox/export')).body
    expect((await w.post('/sandbox/import', exported)).status).toBe(200)
    expect((await mail()).failure).toMatchObject({ failures: 2 })
  })

  it('sends a mail after a restart if the server was unreachable', async () => {
    const SANDBOX_DB = join(temporaryFolder(), 'rows.json')
    const first = await startSandbox({ SANDBOX_DB, SANDBOX_SMTP_URL: 'smtp://127.0.0.1:1' })
    await first.world().post('/api/v2/account_invites', invitation)
    await first.sandbox.close()

    const { url, arrived } = await startMailServer()
    await startSandbox({ SANDBOX_DB, SANDBOX_SMTP_URL: url }, { wall: () => NOON + 3_600_000 })
    expect(await arrived).toContain('RCPT TO:<new@demo.example>')
  })

  it('does not resend a mail when an earlier snapshot is restored', async () => {
    const sending = await startSandbox({ SANDBOX_SMTP_URL: 'smtp://127.0.0.1:1' })
    const w = sending.world()
    await w.post('/api/v2/account_invites', invitation)
    const owed = () => w.world().read(({ rows }) => rows.get('mailJobs', 1))
    expect(await owed()).toMatchObject({ id: 1 })
    const { id } = (await w.post('/sandbox/snapshots', { name: 'owed' })).body
    expect((await w.post(`/sandbox/snapshots/${id}/restore`)).status).toBe(200)
    expect(await owed()).toBeUndefined()
    expect((await w.get('/sandbox/outbox')).body.mails).toHaveLength(1)
  })

  it('sends mails of a hosted sandbox only to allowed recipients, with links to allowed hosts', async () => {
    const { url, arrived } = await startMailServer()
    const sending = await startSandbox({
      SANDBOX_SMTP_URL: url,
      ...hosted,
      SANDBOX_MAIL_DOMAINS: 'demo.example, qa@else.example',
      SANDBOX_MAIL_LINKS: 'https://pay.demo.example',
    })
    const w = sending.world()
    const invite = async (email: string, base_url: string) =>
      expect((await w.post('/api/v2/account_invites', { ...invitation, email, base_url })).status).toBe(200)
    await invite('stranger@else.example', 'https://pay.demo.example')
    await invite('one@demo.example', 'https://phishing.example')
    await invite('qa@else.example', 'https://pay.demo.example/app')
    expect((await arrived).match(/RCPT TO:.*/g)).toEqual(['RCPT TO:<qa@else.example>'])
    expect((await w.get('/sandbox/outbox')).body.mails).toHaveLength(3)
  })

  it.each([
    ['local', undefined],
    ['hosted', 'SANDBOX_MAIL_DOMAINS does not include demo.example'],
  ] as const)('sends mails in %s mode without further settings, or keeps them', (mode, why) => {
    const rules = mailRules({ mode, mailDomains: null, mailLinks: null, publicUrl: null })
    expect(whyKept({ to: 'new@demo.example', link: '' }, rules)).toBe(why)
  })
})

describe('the invitation page', () => {
  const open = async () => {
    const w = world()
    await w.post('/api/v2/account_invites', { ...invitation, assigned_account_ids: [63, 64] })
    const { link } = (await w.get('/sandbox/outbox/1')).body
    const choose = (action: string) =>
      sandbox.fetch(
        new Request(link, {
          method: 'POST',
          body: `action=${action}`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      )
    const text = async () => (await sandbox.fetch(new Request(link))).text()
    return { w, choose, text, path: new URL(link).pathname }
  }

  it('accepts and creates the user with the role in the Teams', async () => {
    const { w, choose, text } = await open()
    expect(await text()).toContain('Join Demo Team')
    expect((await choose('accept')).status).toBe(303)
    expect(await text()).toContain('was accepted')
    const key = (await w.post('/sandbox/api-keys', { user_id: 101 })).body
    expect(key.roles).toEqual({ 63: 'finance', 64: 'finance' })
    const own = client(sandbox, key.username, key.password)
    expect((await own.get('/api/v2/user_profile/101')).body.user_profile.user.email).toBe('new@demo.example')
  })

  it('declines and creates no user', async () => {
    const { w, choose, text } = await open()
    expect((await choose('decline')).status).toBe(303)
    expect(await text()).toContain('was declined')
    expect((await w.get('/api/v2/user_profile/101')).status).toBe(404)
  })

  it('returns 400 for a second answer, 404 for an unknown link', async () => {
    const { choose, path } = await open()
    await choose('decline')
    expect((await choose('accept')).status).toBe(400)
    expect(await call(sandbox, 'GET', `${path}0`)).toMatchObject(
      refused(404, 'resource_not_found', /^invite .* was not found$/),
    )
  })
})
