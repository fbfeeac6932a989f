import { connect, type Socket } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { type InwardLimit, listen } from '../../src/http/server.ts'

const sockets: Socket[] = []
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})

const HOUR = 3_600_000

/** Limits that nothing reaches, with some in their place. */
const limits = (unread: Partial<InwardLimit['unread']> = {}): InwardLimit => ({
  most: Infinity,
  onRefused: () => {},
  onError: () => {},
  unread: {
    stalledFor: HOUR,
    perAddress: Infinity,
    total: Infinity,
    addressOf: () => 'one',
    onClosed: () => {},
    ...unread,
  },
})

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: sandbox\r\n\r\n`
/** More than the buffers of the system hold for one connection. */
const LARGE = 'a'.repeat(32 << 20)

function clientOf(port: number, text: string) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  sockets.push(socket.on('error', () => {}))
  const gone = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.write(text)
  return { socket, gone }
}

/** Sends a text and reads nothing. */
function idler(port: number, text: string) {
  const client = clientOf(port, text)
  client.socket.pause()
  return client
}

it('rejects clients beyond the limit with a log line, and closes unused connections', async () => {
  let refused = 0
  const server = await listen(() => new Response('ok'), 0, '127.0.0.1', {
    ...limits(),
    most: 1,
    onRefused: () => refused++,
  })
  const client = () => {
    const { socket, gone } = clientOf(server.address.port, GET('/'))
    const answer = new Promise<string>((resolve) => socket.on('data', resolve))
    return { gone, response: answer }
  }
  const first = client()
  expect(await first.response).toContain('200 OK')
  await client().gone
  expect(refused).toBe(1)
  await first.gone
  expect(await client().response).toContain('200 OK')
  await server.stop(0)
})

describe('a client that does not read', () => {
  /** Serves `/large`; other paths as `other` does. @returns also what resolves when the server cuts connections off, one for each */
  async function serve(
    unread: Partial<InwardLimit['unread']>,
    other: (path: string) => Response | Promise<Response> = () => new Response('ok'),
  ) {
    let onClosed = () => {}
    const closed = new Promise<void>((resolve) => (onClosed = resolve))
    const server = await listen(
      ({ url }) => {
        const { pathname } = new URL(url)
        return pathname === '/large' ? new Response(LARGE) : other(pathname)
      },
      0,
      '127.0.0.1',
      limits({ ...unread, onClosed }),
    )
    return { port: server.address.port, closed, stop: () => server.stop(0) }
  }

  /** Reads on; returns whether the whole response to `/large` comes. */
  const comesWhole = ({ socket }: { socket: Socket }) =>
    new Promise<boolean>((resolve) => {
      let size = 0
      socket.on('close', () => resolve(false))
      socket.on('data', (text: string) => {
        size += text.length
        if (size > LARGE.length) resolve(true)
      })
      socket.resume()
    })

  it('is not served the next request before it reads the response', async () => {
    const served: string[] = []
    let next = () => {}
    const { port, stop } = await serve({}, (path) => {
      served.push(path)
      next()
      return new Response('ok')
    })
    const { socket } = idler(port, GET('/large') + GET('/next'))
    await new Promise<void>((resolve) => {
      next = resolve
      clientOf(port, GET('/other'))
    })
    expect(served).toEqual(['/other'])
    await new Promise<void>((resolve) => {
      next = resolve
      socket.on('data', () => {}).resume()
    })
    expect(served).toEqual(['/other', '/next'])
    await stop()
  })

  it('is disconnected if no byte moves, while others may wait for a response', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const { port, closed, stop } = await serve({ stalledFor: 30 }, async () => {
      await released
      return new Response('late')
    })
    const slow = clientOf(port, GET('/slow'))
    const answer = new Promise<string>((resolve) => slow.socket.on('data', resolve))
    const idle = idler(port, GET('/large'))
    await closed
    release()
    expect(await answer).toMatch(/late$/)
    expect(await comesWhole(idle)).toBe(false)
    await stop()
  })

  const addressOf: InwardLimit['unread']['addressOf'] = ({ url }) => url!.slice(-1)

  it('is disconnected if its address has too many unread bytes', async () => {
    const { port, closed, stop } = await serve({ perAddress: 50 << 20, addressOf })
    const other = idler(port, GET('/large?2'))
    const clients = [idler(port, GET('/large?1')), idler(port, GET('/large?1'))]
    await closed
    const whole = await Promise.all([other, ...clients].map(comesWhole))
    expect(whole[0]).toBe(true)
    expect(whole.filter((each) => !each)).toHaveLength(1)
    await stop()
  })

  it('is disconnected if all addresses have too many unread bytes, oldest response first', async () => {
    let served = () => {}
    const { port, closed, stop } = await serve({ total: 50 << 20, addressOf }, () => {
      served()
      return new Response('ok')
    })
    const first = idler(port, GET('/large?1'))
    await new Promise<void>((resolve) => {
      served = resolve
      clientOf(port, GET('/other'))
    })
    const second = idler(port, GET('/large?2'))
    await closed
    expect(await comesWhole(first)).toBe(false)
    expect(await comesWhole(second)).toBe(true)
    await stop()
  })

  it('is disconnected if it pipelines more than 100 requests', async () => {
    const { port, closed, stop } = await serve({})
    const idle = idler(port, GET('/large') + GET('/').repeat(101))
    await closed
    expect(await comesWhole(idle)).toBe(false)
    await stop()
  })
})

it('rejects a request with two Host headers with 400', async () => {
  const server = await listen(() => new Response('ok'), 0, '127.0.0.1', limits())
  const { socket } = clientOf(server.address.port, 'GET / HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n')
  const answer = await new Promise<string>((resolve) => socket.on('data', resolve))
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toMatch(/more than one Host header/)
  await server.stop(0)
})
