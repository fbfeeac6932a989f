import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

const statusOf = async (w: TestWorld, request_id = 'order-1') =>
  (await w.post('/api/global/transaction-status', { request_id })).body

const choose = (w: TestWorld, payer: string) => w.patch('/sandbox/worlds/current', { payer })

async function collect(w: TestWorld, changes = {}, headers = {}) {
  const { status, body } = await w.post('/api/v2/payments', collection(w, changes), headers)
  expect([status, body.error_message]).toEqual([201, undefined])
  return body.reference as string
}

const card = (w: TestWorld) =>
  globalPayment(w, {
    transaction_channel: 'card',
    provider: 'hosted_card',
    provider_config: {
      network_id: 'ke-hosted-card-card-visa',
      provider_id: 'ke-hosted-card',
      network_name: 'Visa',
      network_code: 'visa',
      account_type: 'card',
    },
  })

/** Opens the stream that says that somebody watches the phones. */
async function watch(w: TestWorld) {
  const name = w.world().name
  const authorization = `Basic ${Buffer.from(`${name}:demo`).toString('base64')}`
  const url = 'http://sandbox.test/sandbox/events?payer=1'
  const { status, body } = await sandbox.fetch(new Request(url, { headers: { authorization } }))
  expect(status).toBe(200)
  const reader = body!.getReader()
  await reader.read()
  return { leave: () => reader.cancel() }
}

describe('the setting payer', () => {
  it('is automatic by default', async () => {
    expect((await world().get('/sandbox/worlds/current')).body.settings.payer).toBe('automatic')
  })

  it.each(['by_hand', '', 1, null])('returns 400 for %j, naming the accepted values', async (payer) => {
    expect(await world().patch('/sandbox/worlds/current', { payer })).toMatchObject(
      refused(400, 'invalid_argument', /^payer must be /),
    )
  })

  it('is accepted when a world is created, and from SANDBOX_PAYER', async () => {
    const made = await world().post('/sandbox/worlds', { settings: { payer: 'manual' } })
    expect(made.body.world.settings.payer).toBe('manual')
    const other = await startSandbox({ SANDBOX_PAYER: 'manual' })
    const w = other.world()
    await collect(w)
    await w.settle()
    expect((await statusOf(w)).status).toBe('queued')
  })
})

describe('manual', () => {
  it('keeps a prompt waiting through settle until it expires after a minute', async () => {
    const w = world()
    await choose(w, 'manual')
    await collect(w)
    await w.settle()
    await w.advance(59_999)
    expect((await statusOf(w)).status).toBe('queued')
    await w.advance(1)
    expect(await statusOf(w)).toMatchObject({ status: 'failed', message: 'Transaction has expired' })
    await w.settle()
    expect(w.callbacks()).toMatchObject([{ body: { status: 'failed' } }])
  })

  it('keeps a card pay-in waiting ten minutes, and ten more once its page opens', async () => {
    const w = world()
    await choose(w, 'manual')
    const { body } = await w.post('/api/global/payments', card(w))
    const page = new URL(body.provider_response.checkout_url)
    await w.advance(599_999)
    expect((await statusOf(w)).status).toBe('queued')
    await sandbox.fetch(new Request(`http://sandbox.test${page.pathname}`))
    await w.advance(599_999)
    expect((await statusOf(w)).status).toBe('queued')
    await w.advance(1)
    expect((await statusOf(w)).message).toBe('Transaction has expired')
    expect((await w.get('/sandbox/clock')).body.next).toBe(null)
  })

  it('does not affect payouts and offline collections', async () => {
    const w = world()
    await choose(w, 'manual')
    await w.post('/api/v2/withdraw', withdrawal(w))
    await collect(w, { is_offline: true, network_code: undefined })
    await w.settle()
    expect((await statusOf(w, 'payout-1')).status).toBe('success')
    expect((await w.get('/sandbox/clock')).body.next.kind).toBe('expire_offline')
  })

  it('fails an unanswered prompt as its scenario says, and sends none after an early callback', async () => {
    const w = world()
    await choose(w, 'manual')
    await collect(w, {}, { prefer: 'scenario=insufficient-funds' })
    await collect(w, { external_reference: 'early' }, { prefer: 'scenario=callback-before-response' })
    expect((await statusOf(w, 'early')).status).toBe('success')
    await w.advance(60_000)
    expect((await statusOf(w)).message).toBe('The balance is insufficient for the transaction.')
  })

  it('is not settled by status queries, and stays queued if a scenario says so', async () => {
    const w = world()
    await choose(w, 'manual')
    await collect(w, {}, { prefer: 'scenario=final-at-third-status-query' })
    await collect(w, { external_reference: 'stuck' }, { prefer: 'scenario=stuck-without-callback' })
    for (let polls = 0; polls < 5; polls++) expect((await statusOf(w)).status).toBe('queued')
    await w.advance(24 * 3_600_000)
    expect((await statusOf(w)).status).toBe('failed')
    expect((await statusOf(w, 'stuck')).status).toBe('queued')
  })

  it('applies to queued payments when it is set, and releases them when it ends', async () => {
    const w = world()
    await collect(w)
    await choose(w, 'manual')
    await w.advance(2_000)
    await collect(w, { external_reference: 'later' })
    expect((await statusOf(w)).status).toBe('queued')
    await choose(w, 'automatic')
    await w.settle()
    expect([(await statusOf(w)).status, (await statusOf(w, 'later')).status]).toEqual(['success', 'success'])
    expect((await w.get('/sandbox/clock')).body).toMatchObject({
      scheduled: 0,
      now: '2026-06-13T12:00:04.000Z',
    })
  })

  it('survives a restart, a snapshot and an import', async () => {
    const env = { SANDBOX_DB: join(temporaryFolder(), 'rows.json'), SANDBOX_PAYER: 'manual' }
    const first = await startSandbox(env)
    await collect(first.world())
    await first.sandbox.close()
    const second = await startSandbox(env)
    const w = second.world()
    const { body } = await w.post('/sandbox/snapshots', {})
    const exported = (await w.get('/sandbox/export')).body
    await w.advance(60_000)
    expect((await statusOf(w)).status).toBe('failed')
    for (const back of [`/sandbox/snapshots/${body.id}/restore`, '/sandbox/import']) {
      expect((await w.post(back, back.endsWith('import') ? exported : undefined)).status).toBe(200)
      await w.settle()
      expect((await statusOf(w)).status).toBe('queued')
      await w.advance(60_000)
      expect((await statusOf(w)).message).toBe('Transaction has expired')
    }
  })
})

describe('manual_while_watched', () => {
  it('settles as usual without a watcher', async () => {
    const w = world()
    await choose(w, 'manual_while_watched')
    await collect(w)
    await w.settle()
    expect((await statusOf(w)).status).toBe('success')
  })

  it('waits while someone watches, and settles after the last watcher leaves', async () => {
    const w = world()
    await choose(w, 'manual_while_watched')
    await collect(w, { external_reference: 'before' })
    const [one, other] = [await watch(w), await watch(w)]
    await collect(w)
    await w.advance(2_000)
    await one.leave()
    await w.settle()
    expect([(await statusOf(w)).status, (await statusOf(w, 'before')).status]).toEqual(['queued', 'queued'])
    await other.leave()
    await w.settle()
    expect([(await statusOf(w)).status, (await statusOf(w, 'before')).status]).toEqual(['success', 'success'])
    expect((await w.get('/sandbox/clock')).body.now).toBe('2026-06-13T12:00:02.000Z')
  })

  it('keeps waiting through a short reconnect, as after a reload', async () => {
    const w = world()
    await choose(w, 'manual_while_watched')
    const one = await watch(w)
    await collect(w)
    await w.advance(30_000)
    await one.leave()
    await w.get('/api/v2/account/63')
    const again = await watch(w)
    await w.settle()
    expect((await statusOf(w)).status).toBe('queued')
    await again.leave()
  })

  it('ignores streams without handset, which is 1 or absent', async () => {
    const w = world()
    await choose(w, 'manual_while_watched')
    expect((await w.get('/sandbox/events?handset=yes')).status).toBe(400)
    await collect(w)
    await w.settle()
    expect((await statusOf(w)).status).toBe('success')
  })

  it('settles payments left over from a stop when their time is up', async () => {
    const env = { SANDBOX_DB: join(temporaryFolder(), 'rows.json'), SANDBOX_PAYER: 'manual_while_watched' }
    const first = await startSandbox(env)
    const name = first.world()
    await name.get('/api/v2/account/63')
    name.world().events.watch()
    await collect(name)
    await first.sandbox.close()
    const second = await startSandbox(env)
    const w = second.world()
    await w.get('/api/v2/account/63')
    await w.advance(60_000)
    expect((await statusOf(w)).status).toBe('success')
  })
})
