import { describe, expect, it } from 'vitest'
import { startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

async function invited(w: TestWorld) {
  await w.post('/api/v2/account_invites', {
    organization_id: 1,
    account_id: 63,
    email: 'new@demo.example',
    role_id: 3,
    assigned_account_ids: [63],
  })
  const { body } = await w.get('/sandbox/outbox')
  return new URL(body.mails[0].link as string).pathname
}

async function show(path: string, init: RequestInit = {}) {
  const request = new Request(`http://sandbox.test${path}`, { headers: { accept: 'text/html' }, ...init })
  const response = await sandbox.fetch(request)
  return { status: response.status, text: await response.text() }
}

const press = (path: string, action: string) =>
  show(path, { method: 'POST', body: new URLSearchParams({ action }) })

describe('the invitation page', () => {
  it('shows the invitee, the Team and the role, with accept as the main button', async () => {
    const { status, text } = await show(await invited(world()))
    expect(status).toBe(200)
    expect(text).toMatch(/Invitation to join[^]*Demo Team[^]*finance[^]*new@demo\.example/)
    expect(text).toMatch(/class="plain">Decline<[^]*<button name="action" value="accept">Accept</)
  })

  it.each([
    ['accept', 'accepted'],
    ['decline', 'declined'],
  ])('shows after %s that the invitation was %s, without buttons', async (action, status) => {
    const path = await invited(world())
    expect((await press(path, action)).status).toBe(303)
    const { text } = await show(path)
    expect(text).toContain(`This invitation was ${status}.`)
    expect(text).not.toContain('<button')
  })
})

it('shows that the Team was deleted, without buttons', async () => {
  const w = world()
  const path = await invited(w)
  await w.delete('/api/v2/accounts/63')
  const { text } = await show(path)
  expect(text).toContain('The Team of this invitation was deleted.')
  expect(text).not.toContain('<button')
  expect((await press(path, 'accept')).status).toBe(400)
})

describe('400 for a form without a valid action, and the invitation stays open:', () => {
  const send = (path: string, body: string, headers: Record<string, string> = { accept: 'text/html' }) =>
    show(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  it.each([
    ['', 'action must be one of accept, decline</p>'],
    ['action=acept', 'action must be one of accept, decline, got &quot;acept&quot;</p>'],
    ['action=accept&action=decline', 'got &quot;accept&quot; and &quot;decline&quot;</p>'],
    ['token=x', 'action must be one of accept, decline</p>'],
    ['{"action":"accept"}', 'action must be one of accept, decline</p>'],
  ])('%j', async (body, message) => {
    const path = await invited(world())
    const { status, text } = await send(path, body)
    expect([status, text]).toEqual([400, expect.stringContaining(message)])
    expect((await show(path)).text).toContain('>Accept</button>')
  })

  it('returns a JSON error to a program', async () => {
    const path = await invited(world())
    const { status, text } = await send(path, 'action=acept', {})
    expect([status, JSON.parse(text).error_message]).toEqual([
      400,
      'action must be one of accept, decline, got "acept"',
    ])
  })

  it('returns 413 for a form over 16 KiB', async () => {
    const path = await invited(world())
    const { status, text } = await send(path, `action=accept&more=${'x'.repeat(16_384)}`)
    expect([status, text]).toEqual([413, expect.stringContaining('over the limit of 16384 bytes</p>')])
    expect((await show(path)).text).toContain('>Accept</button>')
  })

  it('returns a 404 page for an unknown invitation', async () => {
    const { status, text } = await send('/invites/nope', 'action=accept')
    expect([status, text]).toEqual([404, expect.stringContaining('nope was not found</p>')])
  })
})

describe('an unknown link', () => {
  it.each([
    ['/invites/nope', 'nope was not found</p>'],
    ['/checkout/demo/nope', '<h1>Payment page not found</h1>'],
    ['/checkout/nope/nope', '<h1>Payment page not found</h1>'],
  ])('returns a 404 page to a browser for %s', async (path, shown) => {
    const { status, text } = await show(path)
    expect([status, text]).toEqual([404, expect.stringContaining(shown)])
  })

  it.each(['/invites/nope', '/checkout/demo/nope'])(
    'returns a 404 JSON error to a program for %s',
    async (path) => {
      const { status, text } = await show(path, { headers: {} })
      expect([status, JSON.parse(text)]).toMatchObject([404, { error_code: 'resource_not_found' }])
    },
  )
})
