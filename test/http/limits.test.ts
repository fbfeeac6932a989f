import { describe, expect, it } from 'vitest'
import { collection, globalPayment } from '../support/requests.ts'
import { refused, startSandbox } from '../support/sandbox.ts'

const { world } = await startSandbox()
const text = (length: number) => 'x'.repeat(length)

describe('400 for a text that is too long, with its field, length and beginning:', () => {
  it.each([
    ['external_reference', 256, 255],
    ['callback_url', 2_049, 2_048],
    ['provider', 256, 255],
    ['phone_number', 1_000_000, 32],
  ])('%s of %i characters', async (field, length, most) => {
    const value = field === 'callback_url' ? `http://a.test/${text(length - 14)}` : text(length)
    const answer = await world().post('/api/v2/payments', collection(world(), { [field]: value }))
    const message = `${field} must be at most ${most} characters long, got ${JSON.stringify(value).slice(0, 80)}…`
    expect(answer).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('a field within an object', async () => {
    const w = world()
    const body = globalPayment(w, {
      customer: { first_name: text(256), last_name: 'Doe', phone: '254712345678', country: 'KE' },
    })
    expect(await w.post('/api/global/payments', body)).toMatchObject(
      refused(
        400,
        'invalid_argument',
        /^customer\.first_name must be at most 255 characters long, got "x{79}…$/,
      ),
    )
  })

  it.each([
    [
      'a list',
      {
        body: '',
        headers: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`h${n}`, ''])),
      },
      /^headers must have at most 500 fields/,
    ],
    ['a name in a map', { headers: { [text(70_000)]: 'a' }, body: '' }, /^headers\.x{80}… /],
  ])('%s of the control API', async (_, body, message) => {
    expect(await world().post('/sandbox/signatures/check', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('Prefer', async () => {
    const w = world()
    expect(await w.post('/api/v2/payments', collection(w), { prefer: text(1_001) })).toMatchObject(
      refused(400, 'invalid_argument', 'Prefer must be at most 1000 characters long, got 1001'),
    )
  })

  it('a query parameter', async () => {
    expect(await world().get(`/sandbox/requests?reference=${text(256)}`)).toMatchObject(
      refused(400, 'invalid_argument', /^reference must be at most 255 characters long/),
    )
  })
})

it.each([
  ['/sandbox/requests/find', { 'body.amount': { gte: 'DEEP' } }],
  ['/sandbox/requests/count', { 'body.amount': 'DEEP' }],
  [
    '/sandbox/import',
    { format: 'payments-sandbox-world', version: 1, rows: { mails: [{ id: 1, to: 'DEEP' }] } },
  ],
])('400 for deep nesting: %s', async (path, body) => {
  const w = world()
  const exported = path.endsWith('import') ? (await w.get('/sandbox/export')).body : {}
  const text = JSON.stringify({ ...exported, ...body }).replace(
    '"DEEP"',
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  )
  expect(await w.post(path, text)).toMatchObject(
    refused(400, 'invalid_argument', 'the request body is nested deeper than 100 levels'),
  )
})

it('limits error messages to the first faults and the described length', async () => {
  const settings = { costs: Array.from({ length: 900 }, () => ({ cost: text(200) })) }
  const { status, body } = await world().patch('/sandbox/worlds/current', settings)
  expect(status).toBe(400)
  expect(body.error_message).toMatch(/; and 880 more$/)
  expect(body.error_message.length).toBeLessThanOrEqual(10_000)
})

it('accepts a text of the maximum length', async () => {
  const w = world()
  const answer = await w.post('/api/v2/payments', collection(w, { external_reference: text(255) }))
  expect([answer.status, answer.body.external_reference]).toEqual([201, text(255)])
  await w.settle()
  expect(w.callbacks()).toHaveLength(1)
})
