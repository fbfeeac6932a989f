import { expect, it } from 'vitest'
import { client, refused, startSandbox } from '../support/sandbox.ts'

const { sandbox } = await startSandbox({ SANDBOX_RATE_LIMIT: '3' })
const path = '/api/v2/account/63'

it('429 with Retry-After for the fourth request of a minute, by each key for itself', async () => {
  const demo = client(sandbox, 'demo+one', 'demo')
  for (let n = 0; n < 3; n++) expect((await demo.get(path)).status).toBe(200)
  const answer = await demo.get(path)
  const message = 'more than 3 requests a minute with this API key; try again in 60 s'
  expect(answer).toMatchObject(refused(429, 'resource_exhausted', message))
  expect(answer.headers.get('retry-after')).toBe('60')
  expect((await client(sandbox, 'viewer+one', 'viewer').get(path)).status).toBe(200)
  expect((await client(sandbox, 'demo+two', 'demo').get(path)).status).toBe(200)
})

it('refused requests count, those with wrong credentials do not', async () => {
  const wrong = client(sandbox, 'demo+three', 'wrong')
  for (let n = 0; n < 5; n++) expect((await wrong.get(path)).status).toBe(401)
  const demo = client(sandbox, 'demo+three', 'demo')
  for (let n = 0; n < 3; n++) expect((await demo.post('/api/v2/payments', '{')).status).toBe(400)
  expect((await demo.post('/api/v2/payments', '{')).status).toBe(429)
})
