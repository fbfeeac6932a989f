import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createHttpSend } from '../../src/callbacks/http-send.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { connectionLimits } from '../../src/sandbox/listener.ts'
import { receiver, socketReceiver } from '../support/live.ts'

const to = (world: string, url: string) => ({ world, url, body: '{}', headers: {} })

describe('connections of callbacks', () => {
  it('are limited to a quarter per world, so that hanging receivers do not block other worlds', async () => {
    let connections = 0
    const hanging = await socketReceiver(() => void connections++)
    const good = await receiver()
    const { send, close } = createHttpSend({ most: 8 })
    const held = Array.from({ length: 5 }, (_, n) => send(to('a', `${hanging.url}/${n}`)))
    expect(await send(to('b', good.url))).toMatchObject({ status: 200 })
    await expect.poll(() => connections).toBe(2)
    close()
    expect(await Promise.all(held)).toEqual([undefined, undefined, undefined, undefined, undefined])
    expect(connections).toBe(2)
  })

  it('that are idle are closed to make room for new ones', async () => {
    const [one, other] = [await receiver(), await receiver()]
    const { send, close } = createHttpSend({ most: 1 })
    const closed = new Promise<void>((resolve) =>
      one.server.on('connection', (socket) => void socket.on('close', () => resolve())),
    )
    await send(to('a', one.url))
    expect(await send(to('a', other.url))).toMatchObject({ status: 200 })
    await closed
    close()
  })
})

describe('a connection that sent a large body', () => {
  it('is not reused, because the receiver may not have read the body', async () => {
    const server = http.createServer((request, response) => {
      request.once('data', () => request.pause())
      response.writeHead(413).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { send, close } = createHttpSend()
    expect(await send({ ...to('a', url), body: 'x'.repeat(1_048_576) })).toMatchObject({ status: 413 })
    expect(await send(to('a', url))).toMatchObject({ status: 413 })
    close()
    server.close()
    server.closeAllConnections()
  })
})

describe('SANDBOX_MAX_CONNECTIONS', () => {
  const said: string[] = []
  const log = createLog({ level: 'warn', write: (line) => said.push(line), terminal: false, now: () => 0 })

  it.each([
    [512, 1_024, { out: 512, inward: 448 }],
    [512, Infinity, { out: 512, inward: Infinity }],
    [5_000, 20_000, { out: 5_000, inward: 14_936 }],
  ])('keeps %d with %d file descriptors', (maxConnections, descriptors, expected) => {
    expect(connectionLimits({ maxConnections }, log, descriptors)).toEqual(expected)
    expect(said).toEqual([])
  })

  it('is lowered to half of the file descriptors, with a warning', () => {
    expect(connectionLimits({ maxConnections: 512 }, log, 256)).toEqual({ out: 128, inward: 64 })
    expect(said.join()).toContain('"event":"fewer connections","SANDBOX_MAX_CONNECTIONS":512,"taken":128')
  })
})
