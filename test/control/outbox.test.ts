import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { writeMail } from '../../src/domain/mails.ts'
import { call, client, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const invitation = { organization_id: 1, account_id: 63, email: 'new@demo.example', role_id: 3 }

describe('the outbox', () => {
  it('has the mail of an invitation, with text, HTML and link', async () => {
    const w = world()
    await w.post('/api/v2/account_invites', invitation)
    const [mail] = (await w.get('/sandbox/outbox')).body.mails
    expect(mail).toMatchObject({ id: 1, to: 'new@demo.example', subject: 'You are invited to Demo Team' })
    expect(mail.text).toContain(mail.link)
    expect(mail.html).toContain(`<a href="${mail.link}">`)
    expect((await w.get('/sandbox/outbox/1')).body).toEqual(mail)
    expect((await w.get('/sandbox/outbox?to=else@demo.example')).body.mails).toEqual([])
    expect((await world().get('/sandbox/outbox/1')).status).toBe(404)
    expect((await w.get('/sandbox/outbox/one')).status).toBe(400)
    expect((await w.delete('/sandbox/outbox')).body).toEqual({ deleted: 1 })
    expect((await w.get('/sandbox/outbox')).body.mails).toEqual([])
  })

  it('keeps the last 1,000 mails', async () => {
    const w = world()
    await w.get('/sandbox/outbox')
    await w.world().change(async (tx) => {
      for (let n = 0; n < 1_003; n++)
        await writeMail(tx, { to: 'a@b.example', subject: '', text: '', link: '' })
    })
    const { mails } = (await w.get('/sandbox/outbox')).body
    expect([mails.length, mails[0].id, mails.at(-1).id]).toEqual([1_000, 1_003, 4])
  })

  it('writes names into HTML as text', async () => {
    const w = world()
    await w.put('/api/v2/accounts', { account_id: 63, description: 'x' })
    await w.world().change(async ({ rows }) => {
      const team = (await rows.get('teams', 63))!
      await rows.put('teams', { ...team, name: '<img src=x onerror=alert(1)>' })
    })
    await w.post('/api/v2/account_invites', invitation)
    expect((await w.get('/sandbox/outbox/1')).body.html).not.toContain('<img')
  })

  it('goes out by SMTP too', async () => {
    const received: string[] = []
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    const server = createServer((socket) => {
      let inData = false
      socket.write('220 test\r\n')
      socket.on('data', (chunk) => {
        const text = chunk.toString()
        received.push(text)
        if (inData) {
          if (!text.endsWith('\r\n.\r\n')) return
          inData = false
          socket.write('250 ok\r\n')
          arrive()
        } else if (text.startsWith('DATA')) {
          inData = true
          socket.write('354 go\r\n')
        } else socket.write('250 ok\r\n')
      })
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const sending = await startSandbox({ SANDBOX_SMTP_URL: `smtp://127.0.0.1:${port}` })
    await sending.world().post('/api/v2/account_invites', invitation)
    await arrived
    server.close()
    const all = received.join('')
    expect(all).toContain('RCPT TO:<new@demo.example>')
    expect(all).toContain('Subject: You are invited to Demo Team')
    expect(all).toContain('Content-Type: text/html')
  })
})

describe('the page of an invitation', () => {
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

  it('accepts: the user is there with the role in the Teams', async () => {
    const { w, choose, text } = await open()
    expect(await text()).toContain('Join Demo Team')
    expect((await choose('accept')).status).toBe(303)
    expect(await text()).toContain('was accepted')
    const key = (await w.post('/sandbox/api-keys', { user_id: 101 })).body
    expect(key.roles).toEqual({ 63: 'finance', 64: 'finance' })
    const own = client(sandbox, key.username, key.password)
    expect((await own.get('/api/v2/user_profile/101')).body.user_profile.user.email).toBe('new@demo.example')
  })

  it('declines: nobody is there', async () => {
    const { w, choose, text } = await open()
    expect((await choose('decline')).status).toBe(303)
    expect(await text()).toContain('was declined')
    expect((await w.get('/api/v2/user_profile/101')).status).toBe(404)
  })

  it('400 for a second answer, 404 for a link that nobody was sent', async () => {
    const { choose, path } = await open()
    await choose('decline')
    expect((await choose('accept')).status).toBe(400)
    expect(await call(sandbox, 'GET', `${path}0`)).toMatchObject(
      refused(404, 'resource_not_found', /^invite .* was not found$/),
    )
  })
})
