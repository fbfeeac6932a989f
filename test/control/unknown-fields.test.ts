import { describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { refused, startSandbox } from '../support/sandbox.ts'

const { world } = await startSandbox()

describe('a field unknown to the control API', () => {
  it.each([
    [
      'post',
      '/sandbox/worlds',
      { setings: {} },
      /^setings is none of .*settings.* \(did you mean settings\?\)$/,
    ],
    [
      'post',
      '/sandbox/worlds',
      { settle_after: '1s' },
      /^settle_after is none of .* \(did you mean settings\.settle_after\?\)$/,
    ],
    [
      'post',
      '/sandbox/worlds',
      { settings: { settle_aftr: '1s' } },
      /^settings\.settle_aftr is none of .*did you mean/,
    ],
    ['post', '/sandbox/api-keys', { user: 1 }, /^user is none of user_id, .* \(did you mean user_id\?\)$/],
    ['post', '/sandbox/clock/advance', { buy: '1h' }, /^buy is none of by, to.*\(did you mean by\?\)$/],
    [
      'post',
      '/sandbox/clock/freeze',
      { at: '2026-06-13T12:00:00Z' },
      /^at is not known here: the operation accepts no fields$/,
    ],
  ] as const)('400: %s %s %j', async (method, path, body, message) => {
    const { status, body: told } = await world()[method](path, body)
    if (status === 404 || status === 405) throw new Error(`${path}: ${told.error_message}`)
    expect([status, told.error_message]).toEqual([400, expect.stringMatching(message)])
  })

  it.each([
    ['/sandbox/callbacks?referense=x', /^referense is none of .*reference.* \(did you mean reference\?\)$/],
    ['/sandbox/worlds/current?verbose=1', 'verbose is not known here: the operation accepts no fields'],
  ])('400: %s', async (path, message) => {
    expect(await world().get(path)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('returns 400 with a short message for a body of unknown fields only', async () => {
    const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`field${n}`, n]))
    const { status, body: told } = await world().post('/sandbox/worlds', body)
    expect([status, told.error_message]).toEqual([400, expect.stringMatching(/and 49980 more$/)])
  })

  it.each(['', '{}', 'null', 'freeze it'])(
    'returns 200 for an empty body where none is expected: %j',
    async (body) => {
      expect((await world().post('/sandbox/clock/freeze', body)).status).toBe(200)
    },
  )

  it('returns 201 in the service’s operations, which ignore it', async () => {
    const w = world()
    expect(await w.post('/api/v2/payments', { ...collection(w), colour: 'red' })).toMatchObject({
      status: 201,
    })
    expect(await w.get('/api/v2/payment_channels?colour=red')).toMatchObject({ status: 200 })
  })
})
