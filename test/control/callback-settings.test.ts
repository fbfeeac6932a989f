import { every } from '../support/rows.ts'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RETRY_PROFILES } from '../../src/callbacks/retry.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openSandbox } from '../support/live.ts'
import { collection } from '../support/requests.ts'
import { client, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox, answerOf } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

const CURRENT = '/sandbox/worlds/current'
const pays = async (w: TestWorld) => {
  await w.post('/api/v2/payments', collection(w))
  await w.settle()
}
const asks = (settings: object) => async (w: TestWorld) => {
  expect((await w.patch(CURRENT, settings)).status).toBe(200)
  await pays(w)
}
const settingsOf = async (w: Pick<TestWorld, 'get'>) => (await w.get(CURRENT)).body.settings
const gapsOf = async (w: TestWorld) => {
  const attempts = await w.world().read((look) => every(look.rows, 'attempts'))
  return attempts.slice(1).map((each, n) => each.at - attempts[n]!.at)
}
const failing = async (work: () => Promise<unknown>) => {
  const { next } = answerOf
  answerOf.next = () => ({ status: 500, error: '' })
  await work().finally(() => (answerOf.next = next))
}

describe('callback settings of a world', () => {
  it('default to those of the process', async () => {
    expect(await settingsOf(world())).toMatchObject({
      signatures: 'standard',
      retry_profile: 'sandbox',
      retry_speed: 1,
      retry_jitter: 'off',
      callback_timeout: '10s',
    })
  })

  it('signatures: apply to this world only', async () => {
    const [stripe, other] = [world(), world()]
    await asks({ signatures: 'stripe' })(stripe)
    await pays(other)
    expect(stripe.callbacks()[0]!.headers).toHaveProperty('Stripe-Signature')
    expect(stripe.callbacks()[0]!.headers).not.toHaveProperty('webhook-signature')
    expect(other.callbacks()[0]!.headers).toHaveProperty('webhook-signature')
    expect((await stripe.get('/sandbox/signing-secret')).body.signatures).toBe('stripe')
  })

  it('signatures: accept custom profiles, in the form they are returned', async () => {
    const w = world()
    const custom = {
      profile: 'custom',
      header: 'X-Sign',
      algorithm: 'sha512',
      encoding: 'base64',
      template: '{body}',
      headers: { 'X-Sent': '{timestamp}' },
    }
    await asks({ signatures: ['github', custom] })(w)
    const { signatures } = await settingsOf(w)
    await asks({ signatures: 'none' })(w)
    await asks({ signatures })(w)
    await asks({ signatures: [signatures, 'stripe'] })(w)
    const names = ['X-Hub-Signature-256', 'X-Sign', 'X-Sent']
    const sent = w.callbacks().map(({ headers }) => names.filter((name) => name in headers))
    expect(sent).toEqual([names, [], names, names])
    const refused = await w.patch(CURRENT, { signatures: [signatures, 'github'] })
    expect(refused.body.error_message).toContain('both write the header X-Hub-Signature-256')
  })

  it('retry_profile and retry_speed: determine the pauses', async () => {
    const w = world()
    await failing(() => asks({ retry_profile: 'svix', retry_speed: 1000 })(w))
    expect(await gapsOf(w)).toEqual(RETRY_PROFILES.svix.map((gap) => gap / 1000))
  })

  it('retry_jitter: varies the pauses', async () => {
    const w = world()
    await failing(() => asks({ retry_profile: 'standard', retry_jitter: 'on' })(w))
    const gaps = await gapsOf(w)
    expect(gaps).not.toEqual(RETRY_PROFILES.standard)
    gaps.forEach((gap, n) => {
      expect(gap / RETRY_PROFILES.standard[n]!).toBeGreaterThanOrEqual(0.9)
      expect(gap / RETRY_PROFILES.standard[n]!).toBeLessThanOrEqual(1.1)
    })
  })

  it('apply from the next pause on', async () => {
    const w = world()
    await failing(async () => {
      await w.post('/api/v2/payments', collection(w))
      await w.advance(3_000)
      await asks({ retry_profile: 'adyen' })(w)
    })
    const first = await w.world().read((look) => look.rows.find('attempts', 'callback', 1))
    const gaps = first.slice(1).map((each, n) => each.at - first[n]!.at)
    expect(gaps).toEqual([
      RETRY_PROFILES.sandbox[0],
      RETRY_PROFILES.sandbox[1],
      ...RETRY_PROFILES.adyen.slice(2),
    ])
  })

  it('callback_timeout: limits the receiver’s time', async () => {
    const w = world()
    const timeouts: unknown[] = []
    const { next } = answerOf
    answerOf.next = ({ timeout }) => ({ status: timeouts.push(timeout) && 200, error: '' })
    await asks({ callback_timeout: '1500ms' })(w)
    await asks({ callback_timeout: 30_000 })(w)
    answerOf.next = next
    expect(timeouts).toEqual([1_500, 30_000])
  })

  it.each([
    [{ signatures: 'svix' }, /^signatures "svix": signature profile "svix" is not known: use standard/],
    [{ signatures: '' }, /^signatures "": signature profile "" is not known/],
    [{ signatures: '[' }, /^signatures "\[": /],
    [{ signatures: [] }, /^signatures must be at least 1 items long/],
    [{ signatures: ['stripe', 'stripe'] }, /both write the header Stripe-Signature/],
    [{ signatures: [{ profile: 'custom' }] }, /^signatures\[0\]\.header is required/],
    [{ signatures: ['token:Host'] }, /the header Host belongs to the request itself/],
    [
      { retry_profile: 'often' },
      /^retry_profile must be one of sandbox, svix, standard, adyen, paystack, none/,
    ],
    [{ retry_speed: 0 }, /^retry_speed must be at least 0.001/],
    [{ retry_jitter: 'some' }, /^retry_jitter must be one of on, off/],
    [{ callback_timeout: '31s' }, 'callback_timeout "31s" is longer than 30s, the maximum'],
    [{ callback_timeout: 0 }, 'callback_timeout 0 is shorter than 1ms, the minimum'],
    [{ callback_timeout: 'long' }, /^callback_timeout "long" is not a duration/],
  ])('return 400 for %o and change nothing', async (settings, message) => {
    const w = world()
    const before = await settingsOf(w)
    const wanted = refused(400, 'invalid_argument', message)
    expect(await w.patch(CURRENT, { ...settings, settle_after: '9s' })).toMatchObject(wanted)
    expect(await settingsOf(w)).toEqual(before)
  })
})

describe('a world created with callback settings', () => {
  const settings = { signatures: ['github'], retry_profile: 'none', callback_timeout: '2s' }

  it('has them from its first callback, and after a reset', async () => {
    const made = await world().post('/sandbox/worlds', { settings })
    const { username, password } = made.body.credentials
    const own = client(sandbox, username, password)
    const wanted = { signatures: '["github"]', retry_profile: 'none', retry_speed: 1, callback_timeout: '2s' }
    expect(made.body.world.settings).toMatchObject(wanted)
    await own.patch(CURRENT, { signatures: 'none', retry_speed: 7 })
    expect(await settingsOf(own as TestWorld)).toMatchObject({
      ...wanted,
      signatures: 'none',
      retry_speed: 7,
    })
    await own.post('/sandbox/reset')
    expect(await settingsOf(own as TestWorld)).toMatchObject(wanted)
  })

  it('keeps them in snapshots and exports', async () => {
    const [from, to] = [world(), world()]
    await from.patch(CURRENT, settings)
    await from.post('/sandbox/snapshots')
    const exported = (await from.get('/sandbox/export')).body
    await from.post('/sandbox/reset')
    expect(await settingsOf(from)).toMatchObject({ signatures: 'standard', retry_profile: 'sandbox' })
    await from.post('/sandbox/snapshots/1/restore')
    await to.post('/sandbox/import', exported)
    const wanted = { signatures: '["github"]', retry_profile: 'none', callback_timeout: '2s' }
    expect(await settingsOf(from)).toMatchObject(wanted)
    expect(await settingsOf(to)).toMatchObject(wanted)
  })

  it.each([
    [{ signatures: 'svix' }, /^signatures "svix"/],
    [{ retry_speed: 'fast' }, /^retry_speed must be a number/],
    [{ settle_after: 'soon' }, /^settle_after "soon" is not a duration/],
  ])('returns 400 for an import whose settings have %o, and keeps its own', async (value, message) => {
    const w = world()
    const exported = (await w.get('/sandbox/export')).body
    const rows = { ...exported.rows, state: [{ name: 'settings', value }] }
    const answer = await w.post('/sandbox/import', { ...exported, rows })
    expect(answer).toMatchObject(refused(400, 'invalid_argument', message))
    expect((await w.get('/api/v2/account/63')).status).toBe(200)
  })

  it('keeps them over a restart, without rejected ones', async () => {
    const SANDBOX_DB = join(temporaryFolder(), 'rows.json')
    const first = await openSandbox({ SANDBOX_DB })
    const made = await first.api.post('/sandbox/worlds', { settings })
    for (const wrong of [{ signatures: 'svix' }, { settle_after: 'soon' }])
      expect((await first.api.post('/sandbox/worlds', { settings: wrong })).status).toBe(400)
    await first.api.patch(CURRENT, { retry_speed: 60, signatures: 'stripe' })
    await first.close()

    const second = await openSandbox({ SANDBOX_DB, SANDBOX_CALLBACK_TIMEOUT: '3s' })
    const { worlds } = (await second.api.get('/sandbox/worlds')).body
    await second.close()
    expect(worlds).toMatchObject([
      { id: 'demo', settings: { retry_speed: 60, signatures: 'stripe', callback_timeout: '3s' } },
      { id: made.body.world.id, settings: { retry_profile: 'none', callback_timeout: '2s' } },
    ])
  })
})
