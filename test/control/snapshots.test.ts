import { describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { refused, startSandbox } from '../support/sandbox.ts'

const { world } = await startSandbox()

describe('a snapshot', () => {
  it('restores rows, pending jobs, settings and the clock', async () => {
    const w = world()
    const paid = await w.post('/api/v2/payments', collection(w))
    const taken = await w.post('/sandbox/snapshots', { name: 'queued' })
    expect(taken).toMatchObject({ status: 201, body: { id: 1, name: 'queued' } })
    await w.advance(60_000)
    await w.patch('/sandbox/worlds/current', { settle_after: '9s' })
    const status = () => w.post('/api/global/transaction-status', { request_id: paid.body.reference })
    expect((await status()).body.status).toBe('success')

    expect((await w.post('/sandbox/snapshots/1/restore')).body).toMatchObject({
      now: '2026-06-13T12:00:00.000Z',
    })
    expect((await status()).body.status).toBe('queued')
    expect((await w.get('/sandbox/worlds/current')).body).toMatchObject({
      pending_jobs: 1,
      settings: { settle_after: '2s' },
    })
    await w.advance(60_000)
    expect((await status()).body.status).toBe('success')
    expect((await w.get('/sandbox/ledger')).body.balanced).toBe(true)
  })

  it('survives a reset and can be deleted', async () => {
    const w = world()
    await w.post('/sandbox/snapshots')
    await w.post('/sandbox/reset')
    expect((await w.get('/sandbox/snapshots')).body.snapshots).toMatchObject([{ id: 1 }])
    expect((await w.delete('/sandbox/snapshots/1')).body).toEqual({ deleted: 1 })
    expect(await w.post('/sandbox/snapshots/1/restore')).toMatchObject(
      refused(404, 'resource_not_found', 'snapshot 1 was not found'),
    )
  })

  it('is not visible in other worlds', async () => {
    const [w, other] = [world(), world()]
    await w.post('/sandbox/snapshots')
    expect((await other.get('/sandbox/snapshots')).body.snapshots).toEqual([])
    expect((await other.post('/sandbox/snapshots/1/restore')).status).toBe(404)
    expect((await other.delete('/sandbox/snapshots/1')).status).toBe(404)
  })

  it('returns 429 for the fifty-first', async () => {
    const w = world()
    for (let n = 0; n < 50; n++) await w.post('/sandbox/snapshots')
    expect(await w.post('/sandbox/snapshots')).toMatchObject(
      refused(429, 'resource_exhausted', /^snapshot_count of this world: 50 of 50 at once are used/),
    )
  })

  it('returns 400 for an id that is not a number', async () => {
    expect((await world().post('/sandbox/snapshots/first/restore')).status).toBe(400)
  })
})

describe('an export', () => {
  it('of many rows is complete, and can be imported', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const mail = (id: number) => ({
      id,
      to: 'a@b.example',
      subject: `"${id}", [`,
      text: 'é',
      link: '',
      sent_at: 0,
    })
    await w.world().change(({ rows }) => {
      for (let id = 1; id <= 3_000; id++) rows.insert('mails', mail(id))
    })
    const { body } = await w.get('/sandbox/export')
    expect(body.rows.mails).toHaveLength(3_000)
    const to = world()
    expect((await to.post('/sandbox/import', JSON.stringify(body, null, 1))).status).toBe(200)
    const again = (await to.get('/sandbox/export')).body
    expect(again.rows.mails).toEqual(body.rows.mails)
    expect((await to.get('/sandbox/outbox?limit=1')).body.mails[0].subject).toBe('"3000", [')
  })

  it('contains the time of a frozen clock to the millisecond', async () => {
    const [from, to] = [world(), world()]
    const at = '2026-06-13T12:00:00.498Z'
    await from.post('/sandbox/clock/advance', { by: '498ms' })
    await to.post('/sandbox/import', (await from.get('/sandbox/export')).body)
    expect((await to.get('/sandbox/clock')).body.now).toBe(at)
  })

  it.each([
    ['{"rows": {"teams": [{"id": 1},]}}', /^the request body is not valid JSON: /],
    ['{"format": ', /^the request body is not valid JSON: /],
    [' \n', 'the request body is empty; send a JSON object'],
    ['[]', /must be an object/],
    ['null', /must be an object/],
  ])('returns 400 for an invalid body: %s', async (body, message) => {
    expect(await world().post('/sandbox/import', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('copies a world without its keys', async () => {
    const [from, to] = [world(), world()]
    const paid = await from.post('/api/v2/payments', collection(from))
    const exported = await from.get('/sandbox/export')
    expect((await to.post('/sandbox/import', exported.body)).status).toBe(200)
    const status = await to.post('/api/global/transaction-status', { request_id: paid.body.reference })
    expect(status.body.status).toBe('queued')
    await to.settle()
    expect(from.callbacks()).toHaveLength(1)
    expect((await to.get('/sandbox/ledger')).body.balanced).toBe(true)
    expect((await to.viewer.get('/api/v2/account/63')).status).toBe(200)
  })

  it('without counters continues from the highest ids', async () => {
    const [from, to] = [world(), world()]
    await from.post('/api/v2/payments', collection(from))
    await from.settle()
    const { rows, ...others } = (await from.get('/sandbox/export')).body
    expect((await to.post('/sandbox/import', { ...others, rows: { ...rows, counters: [] } })).status).toBe(
      200,
    )
    expect((await to.post('/api/v2/payments', collection(to))).status).toBe(201)
    expect((await to.post('/sandbox/settle')).body).toMatchObject({ job_count: 2, clock: { failing: [] } })
  })

  it.each([[['outside:KES']], [[5, 'outside:KES']], [[{ account: 'outside:KES', amount: 5 }]]])(
    'returns 400 for the lines %j of a posting',
    async (lines) => {
      const w = world()
      const { rows, ...others } = (await w.get('/sandbox/export')).body
      const [first, ...rest] = rows.postings
      const body = { ...others, rows: { ...rows, postings: [{ ...first, lines }, ...rest] } }
      expect(await w.post('/sandbox/import', body)).toMatchObject(
        refused(400, 'invalid_argument', /^rows\.postings\[0\](\.lines must | holds more)/),
      )
    },
  )

  it('returns 400 for an archive that contradicts the ledger', async () => {
    const w = world()
    const { rows, ...others } = (await w.get('/sandbox/export')).body
    const through = Date.parse('2026-06-30T00:44:53Z')
    const withFolded = (value: unknown) =>
      w.post('/sandbox/import', {
        ...others,
        rows: { ...rows, state: [...(rows.state ?? []), { name: 'archived', value }] },
      })
    expect(await withFolded({ transactions: 1.5, postings: 2, through })).toMatchObject(
      refused(400, 'invalid_argument', /^rows\.state\[\d+\]\.value\.transactions must be .*, got 1\.5/),
    )
    expect((await withFolded({ transactions: 1, postings: 2, through })).status).toBe(200)
    expect((await w.get('/sandbox/ledger')).body.carried_forward).toMatchObject({
      transactions: 1,
      postings: 2,
    })
  })

  it.each([
    [{ rows: { team: [] } }, 'rows.team is no table (did you mean teams?)'],
    [{ rows: { teams: [{}] } }, 'rows.teams[0] has no key'],
    [{ rows: { teams: [{ id: 1 }, { id: 1 }] } }, 'rows.teams[1] has the key 1, which is there twice'],
    [{ rows: { users: [] } }, 'rows.users has no user 1, whose key demo this world keeps'],
    [{ rows: { teams: [{ id: 1, name: 7 }] } }, /^rows\.users has no user 1/],
    [{ rows: { teams: [{ id: 1 }, 5] } }, /^rows\.teams\.?\[?1\]? must be an object, got 5/],
    [{ rows: { teams: 5 } }, /^rows\.teams must be/],
    [{ rows: undefined }, /^rows is required/],
    [{ format: 'har' }, /^format must be one of payments-sandbox-world/],
  ])('returns 400 for %o, and the world stays as it was', async (changes, message) => {
    const w = world()
    const exported = await w.get('/sandbox/export')
    expect(await w.post('/sandbox/import', { ...exported.body, ...changes })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
    expect((await w.get('/api/v2/account/63')).status).toBe(200)
  })
})
