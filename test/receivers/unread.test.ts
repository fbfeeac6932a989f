/** Receivers that answer without reading what came: whatever comes next over the same connection is answered too. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import type { Receiver } from '../../src/callbacks/receivers/receiver.ts'
import { serverOf } from '../../src/callbacks/receivers/receivers.ts'

const ORIGIN = 'http://shop.test'
const MEGABYTE = 'x'.repeat(1_048_576)

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
const servers: http.Server[] = []
afterAll(() => {
  agent.destroy()
  for (const server of servers) server.close()
})

/** The statuses of a large request and a small one after it, and how many connections there were. */
async function after(receiver: Receiver) {
  let connections = 0
  const server = serverOf(ORIGIN, receiver).on('connection', () => connections++)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const ask = (body: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-length': String(body.length) }
      const request = http.request({ port, host: '127.0.0.1', method: 'PUT', agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      request.on('error', reject).end(body)
    })
  return { statuses: [await ask(MEGABYTE), await ask('{}')], connections }
}

it.each<[string, Receiver]>([
  ['reads nothing of it', () => new Response(null, { status: 413 })],
  [
    'stops reading at its beginning',
    async (request) => {
      for await (const _ of request.body!) break
      return new Response(null, { status: 413 })
    },
  ],
  [
    'cancels it',
    async (request) => {
      await request.body!.cancel()
      return new Response(null, { status: 413 })
    },
  ],
])('a receiver that %s', async (_, receiver) => {
  expect(await after(receiver)).toEqual({ statuses: [413, 413], connections: 1 })
})

it('a receiver that reads it once it has answered', async () => {
  let read: Promise<string> | undefined
  const receiver: Receiver = (request) => {
    read ??= request.text()
    return new Response(null, { status: 202 })
  }
  expect(await after(receiver)).toEqual({ statuses: [202, 202], connections: 1 })
  expect((await read)?.length).toBe(MEGABYTE.length)
})
