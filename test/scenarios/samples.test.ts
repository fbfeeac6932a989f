import { expect, it } from 'vitest'
import { refused, startSandbox } from '../support/sandbox.ts'

const { world } = await startSandbox()
/** What the file promises to answer. */
const answerTo = ({ expect: { response } }: { expect: { response: unknown } }) => response
const samplesOf = (name: string, query = '') => `/sandbox/scenarios/${name}/samples${query}`

it('returns 200 with a sample request and its expectations', async () => {
  const w = world()
  const { body } = await w.get(samplesOf('payer-cancels', '?reference=try-1'))
  const { address } = (await w.get('/sandbox/inbox/default')).body
  expect(body.samples).toEqual([
    {
      operation: 'createCollection',
      method: 'POST',
      path: '/api/v2/payments',
      headers: {},
      body: expect.objectContaining({
        phone_number: '254700000002',
        external_reference: 'try-1',
        callback_url: address,
      }),
      reference: 'try-1',
      times: 1,
      expect: {
        response: 201,
        status: 'failed',
        reason: 'cancelled',
        callbacks: ['failed'],
        ledger: { wallet: 0, in_transit: 0 },
      },
    },
  ])
})

it('a sample triggers its scenario as is', async () => {
  const w = world()
  const [sample] = (await w.get(samplesOf('payer-cancels'))).body.samples
  const response = await w.post(sample.path, sample.body, sample.headers)
  expect(response).toMatchObject({ status: 201, headers: expect.anything() })
  expect(response.headers.get('sandbox-scenario')).toBe('payer-cancels')
})

it('the sample of a scenario without `when` names it in a header', async () => {
  const [sample] = (await world().get(samplesOf('rate-limited'))).body.samples
  expect(sample.headers).toEqual({ prefer: 'scenario=rate-limited' })
})

it('returns a sample for each step, and none for a file without expectations', async () => {
  const w = world()
  expect((await w.get(samplesOf('provider-fails-once'))).body.samples.map(answerTo)).toEqual([
    { status: 503, body: { error_code: 'unavailable' } },
    201,
  ])
  await w.put('/sandbox/scenarios/mine', { title: 'Mine', then: { delay: 5 } })
  expect((await w.get(samplesOf('mine'))).body.samples).toEqual([])
})

it('returns 404 with the nearest name, 400 for an invalid reference', async () => {
  const w = world()
  expect(await w.get(samplesOf('payer-cancel'))).toMatchObject(
    refused(404, 'resource_not_found', /did you mean payer-cancels/),
  )
  for (const query of ['?reference=', `?reference=${'x'.repeat(101)}`, '?refrence=a'])
    expect((await w.get(samplesOf('payer-cancels', query))).status).toBe(400)
})
