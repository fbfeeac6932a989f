import { describe, expect, it } from 'vitest'
import { createTransport } from '../../src/client/transport.ts'
import { createWorldClient } from '../../src/client/world-client.ts'
import { operations } from '../../src/generated/control/operations.ts'
import { reached } from './reached.ts'

/** A client of a sandbox that answers nothing of use, and the requests that reached it. */
function client() {
  const requested: string[] = []
  const reach = {
    send(request: Request) {
      requested.push(`${request.method} ${new URL(request.url).pathname}`)
      const address = 'http://sandbox.test/sandbox/inbox/default?key=k'
      return Response.json({ address, ended: true })
    },
    leadsThere: () => true,
  }
  const credentials = { username: 'demo', password: 'demo' }
  const world = createWorldClient(createTransport('http://sandbox.test', credentials, reach), reach)
  return { world, requested }
}

const patternOf = (place: string) =>
  new RegExp(`^${place.replace(/\{\?.*/, '').replace(/\{\w+\}/g, '[^/]+')}$`)

describe('the library', () => {
  it.each(Object.entries(operations))('calls %s', async (operation, place) => {
    const { world, requested } = client()
    await Promise.resolve(reached[operation as keyof typeof operations](world)).catch(() => {})
    expect(requested).toContainEqual(expect.stringMatching(patternOf(place)))
  })
})
