import { describe, expect, it } from 'vitest'
import { routesOf } from '../../openapi/document.ts'
import { descriptions } from '../support/descriptions.ts'
import { isForAnybody } from '../support/operations.ts'
import { requestExamples } from '../support/examples.ts'
import { call, refused, startSandbox } from '../support/sandbox.ts'

/** Every operation of the sandbox's own API that happens in a world, with its example body. */
const { document } = descriptions.find(({ name }) => name.includes('control'))!
const operations = routesOf(document)
  .filter(({ path, operation }) => path.startsWith('/sandbox/') && !isForAnybody(operation))
  .map(({ id, method, path, operation }) => ({
    id,
    method: method.toUpperCase(),
    path: path.replace(/\{world\}/, 'current').replace(/\{\w+\}/g, '1'),
    body: requestExamples(document).find((each) => each.route.id === id)?.value,
    statuses: Object.keys(operation.responses ?? {}),
  }))
const declaring = (status: string) => operations.filter(({ statuses }) => statuses.includes(status))
const withBody = operations.filter(({ body }) => body !== undefined)

describe('the control API', async () => {
  const { world, sandbox } = await startSandbox()
  const limited = await startSandbox({ SANDBOX_RATE_LIMIT: '1' })
  const changing = operations.filter(({ method }) => method !== 'GET')

  it.each(changing.filter(({ statuses }) => statuses.includes('403')))(
    'returns 403 for a page of another origin, whatever it sends: $id',
    async ({ method, path, body }) => {
      const origin = { origin: 'https://shop.example' }
      const answer = await world()[method.toLowerCase() as 'post'](path, body, origin)
      expect(answer).toMatchObject(refused(403, 'permission_denied', /not from https:\/\/shop\.example;/))
    },
  )

  it.each(withBody)('returns 413 for a body over the limit: $id', async ({ id, method, path }) => {
    const largest: Record<string, number> = { importWorld: 65, compareRecording: 17 }
    const size = (largest[id] ?? 2) << 20
    const send = world()[method.toLowerCase() as 'post']
    const answer = await send(path, 'x', { 'content-length': String(size) })
    expect(answer).toMatchObject(refused(413, 'payload_too_large', /^the request body is over the limit of/))
  })

  it.each(declaring('429'))('returns 429 over the rate limit: $id', async ({ method, path, body }) => {
    const w = limited.world()
    await w.get('/sandbox/snapshots')
    const answer = await w[method.toLowerCase() as 'get'](path, body)
    expect(answer).toMatchObject(refused(429, 'resource_exhausted', /^more than 1 requests a minute/))
  })

  it.each(operations.filter(({ path }) => path !== '/sandbox/events'))(
    'returns 503 while the world is closing: $id',
    async ({ method, path, body }) => {
      const w = world()
      await w.get('/sandbox/snapshots')
      w.world().close('the world was reset')
      const answer = await w[method.toLowerCase() as 'get'](path, body)
      expect(answer).toMatchObject(refused(503, 'unavailable', /^the world was reset/))
    },
  )

  it('matches its description', async () => {
    const answer = await sandbox.fetch(new Request('http://sandbox.test/sandbox/openapi.json'))
    expect(((await answer.json()) as typeof document).paths).toEqual(document.paths)
    expect((await call(sandbox, 'GET', '/sandbox/worlds')).status).toBe(401)
  })
})
