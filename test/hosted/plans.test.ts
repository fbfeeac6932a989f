import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { hosted } from '../support/sandbox.ts'
import { openToStrangers, OWNER } from './strangers.ts'

const tokens = 'workshop:sixteen-letters-1,partner:sixteen-letters-2'
const account = '/api/v2/account/63'
const current = '/sandbox/worlds/current'

function planFile(text: string): string {
  const file = join(temporaryFolder(), 'plans.yaml')
  writeFileSync(file, text)
  return file
}

const PLANS = `
default: { requests: 4, worlds: 0 }
team:
  tokens: [partner]
  rows: 128MB
  requests: none
  callbacks: 7
  worlds: 1
  ttl: 30d
`

const open = (text = PLANS, env: Record<string, string> = {}) =>
  openToStrangers({ SANDBOX_PLANS: planFile(text), SANDBOX_SIGN_UP_TOKENS: tokens, ...env })

const withToken = { SANDBOX_SIGN_UP: 'token', SANDBOX_SIGN_UP_TOKENS: tokens }

const setPlan = (ask: Awaited<ReturnType<typeof open>>['ask'], world: string, plan: string | null) =>
  ask('PUT', `/__admin/worlds/${encodeURIComponent(world)}/plan`, {
    body: { plan },
    headers: { authorization: `Bearer ${hosted.SANDBOX_ADMIN_TOKEN}` },
  })

const limitsIn = (body: { budget: { name: string; limit: number | null; setting: string }[] }) =>
  Object.fromEntries(body.budget.map(({ name, limit, setting }) => [name, [limit, setting]]))

describe('a plan', () => {
  it('sets the limits of sign-ups, which errors name', async () => {
    const { stranger } = await open()
    const { get, post, made } = await stranger()
    expect(made.world.plan).toBe('default')
    expect(limitsIn((await get(current)).body)).toMatchObject({
      requests: [4, 'SANDBOX_PLANS: default'],
      callbacks: [60, 'SANDBOX_SIGN_UP_CALLBACKS'],
    })
    const further = await post('/sandbox/worlds', {})
    expect(further.status).toBe(429)
    expect(further.body.error_message).toMatch(/0 of 0|cannot create worlds/)
    for (let n = 0; n < 2; n++) expect((await get(account)).status).toBe(200)
    expect((await get(account)).body.error_message).toMatch(/4 of 4 per minute .*\(SANDBOX_PLANS: default\)/)
  })

  it('comes with a sign-up token, and sets the time to live', async () => {
    const { ask, time, sandbox } = await open(PLANS, withToken)
    const signUp = async (token: string) =>
      (await ask('POST', '/sandbox/sign-up', { headers: { authorization: `Bearer ${token}` } })).body
    const [workshop, partner] = [await signUp('sixteen-letters-1'), await signUp('sixteen-letters-2')]
    expect([workshop.world.plan, partner.world.plan]).toEqual(['default', 'team'])
    const as = partner.credentials
    expect(limitsIn((await ask('GET', current, { as })).body)).toMatchObject({
      rows: [134_217_728, 'SANDBOX_PLANS: team'],
      requests: [null, 'SANDBOX_PLANS: team'],
    })
    const further = await ask('POST', '/sandbox/worlds', { as })
    expect(further.body.world.plan).toBe('team')
    expect((await ask('POST', '/sandbox/worlds', { as })).body.error_message).toMatch(
      /1 of 1 further worlds \(SANDBOX_PLANS: team\)/,
    )
    time.now += 8 * 86_400_000
    await sandbox.worlds.dropIdle(Infinity)
    expect(await sandbox.worlds.names()).toEqual(['demo', partner.world.id, further.body.world.id])
    time.now += 30 * 86_400_000
    await sandbox.worlds.dropIdle(Infinity)
    expect(await sandbox.worlds.names()).toEqual(['demo'])
  })

  it('is changed by an administrator, at once and for further worlds too', async () => {
    const { ask, stranger } = await open(PLANS.replace('worlds: 0', 'worlds: 1'))
    const { id, get, post } = await stranger()
    const further = (await post('/sandbox/worlds', {})).body
    const changed = await setPlan(ask, id, 'team')
    expect(changed.body).toEqual({ plan: 'team', worlds: [id, further.world.id] })
    for (let n = 0; n < 9; n++) expect((await get(account)).status).toBe(200)
    const shown = await ask('GET', current, { as: further.credentials })
    expect(shown.body.plan).toBe('team')
    expect((await setPlan(ask, id, null)).status).toBe(200)
    expect(limitsIn((await get(current)).body)['requests']).toEqual([600, 'SANDBOX_SIGN_UP_REQUESTS'])
    const audit = await ask('GET', '/__admin/audit?operation=adminSetPlan', {
      headers: { authorization: `Bearer ${hosted.SANDBOX_ADMIN_TOKEN}` },
    })
    expect(audit.body.entries).toHaveLength(2)
    expect(audit.body.entries[1]).toMatchObject({ world: id, requested: { body: { plan: 'team' } } })
  })

  it('applies to a world that the owner created, and stays over reset, snapshot, import and restart', async () => {
    const env = { SANDBOX_DB: join(temporaryFolder(), 'rows.json') }
    const { ask, sandbox } = await open(PLANS, env)
    const made = (await ask('POST', '/sandbox/worlds', { as: OWNER })).body
    const as = made.credentials
    const plan = async () => (await ask('GET', current, { as })).body.plan
    expect(await plan()).toBeNull()
    await ask('POST', '/sandbox/snapshots', { as, body: {} })
    const exported = (await ask('GET', '/sandbox/export', { as })).body
    await setPlan(ask, made.world.id, 'team')
    expect((await ask('POST', '/sandbox/snapshots/1/restore', { as })).status).toBe(200)
    expect(await plan()).toBe('team')
    expect((await ask('POST', '/sandbox/import', { as, body: exported })).status).toBe(200)
    expect(await plan()).toBe('team')
    expect((await ask('POST', '/sandbox/reset', { as })).status).toBe(200)
    expect(await plan()).toBe('team')
    await sandbox.close()

    const without = await open('other: { requests: 9 }', env)
    const shown = (await without.ask('GET', current, { as })).body
    expect(shown.plan).toBe('team')
    expect(limitsIn(shown)['requests']).toEqual([3000, 'SANDBOX_WORLD_REQUESTS'])
    expect((await setPlan(without.ask, made.world.id, 'other')).status).toBe(200)
    expect(limitsIn((await without.ask('GET', current, { as })).body)['requests']![0]).toBe(9)
  })

  it('400 for a plan that does not exist and for the default world, 404 for an unknown world', async () => {
    const { ask, stranger } = await open()
    const { id } = await stranger()
    const unknown = await setPlan(ask, id, 'taem')
    expect(unknown.status).toBe(400)
    expect(unknown.body.error_message).toBe(
      'plan "taem" is not in SANDBOX_PLANS, which has default, team (did you mean team?)',
    )
    expect((await setPlan(ask, 'demo', 'team')).body.error_message).toBe(
      'world demo has the password of its owner, and no plan of its own',
    )
    expect((await setPlan(ask, 'demo+nobody', 'team')).status).toBe(404)
    const { ask: plain } = await openToStrangers()
    expect((await setPlan(plain, 'demo', 'team')).body.error_message).toBe(
      'plan "team" does not exist, because SANDBOX_PLANS is not set',
    )
  })

  it('is on the page after a sign-up', async () => {
    const { ask } = await open()
    const { text } = await ask('POST', '/sign-up', {
      body: 'action=sign-up',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
    })
    expect(text).toContain('default: 4 requests a minute, 0 further worlds')
  })
})

describe('the file of plans', () => {
  it.each([
    ['team: { requets: 5 }', /plans\.yaml:1:\d+ .*"requets" is not a known key \(did you mean requests\?\)/],
    ['team:\n  rows: -5MB', /plans\.yaml:2:\d+ .*rows must be a size .*got "-5MB"/],
    ['team:\n  requests: 0', /:2:\d+ .*requests must be a whole number from 1, or none .*got 0/],
    ['team:\n  requests: [5]', /:2:\d+ .*requests must be .*got/],
    ['team:\n  ttl: soon', /:2:\d+ .*ttl must be/],
    ['team:\n  worlds: 5000', /:2:\d+ .*worlds must be a whole number from 0 to 1000, got 5000/],
    ['team:\n  request_log: 5MB', /:2:\d+ .*"request_log" is not a known key/],
    [
      'team: { tokens: [partnr] }',
      /"partnr" is not the name of a token in SANDBOX_SIGN_UP_TOKENS \(did you mean partner\?\)/,
    ],
    ['a: { tokens: [partner] }\nb: { tokens: [partner] }', /:2:\d+ .*"partner" already gives the plan a/],
    ['Team: { requests: 5 }', /must be named with at most 32 lowercase letters/],
    ['[team]', /must be a map of plans by name/],
    ['{}', /must have a plan/],
    ['team: {', /plans\.yaml:1/],
  ])('stops the start if it contains %j', async (text, message) => {
    await expect(open(text, withToken)).rejects.toThrow(message)
  })

  it('stops the start if it does not exist', async () => {
    await expect(openToStrangers({ SANDBOX_PLANS: '/nowhere/plans.yaml' })).rejects.toThrow(
      'SANDBOX_PLANS: /nowhere/plans.yaml does not exist',
    )
  })
})
