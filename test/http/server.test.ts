import { connect, type Socket } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { listen } from '../../src/http/server.ts'

const sockets: Socket[] = []
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})

it('more clients than there may be are turned away, which is said, and unused connections make room', async () => {
  let refused = 0
  const server = await listen(() => new Response('ok'), 0, '127.0.0.1', {
    most: 1,
    onRefused: () => refused++,
    onError: () => {},
  })
  const client = () => {
    const socket = connect(server.address.port, '127.0.0.1').setEncoding('utf8')
    sockets.push(socket.on('error', () => {}))
    const gone = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    const answer = new Promise<string>((resolve) => socket.on('data', resolve))
    socket.write('GET / HTTP/1.1\r\nhost: sandbox\r\n\r\n')
    return { gone, answer }
  }
  const first = client()
  expect(await first.answer).toContain('200 OK')
  await client().gone
  expect(refused).toBe(1)
  await first.gone
  expect(await client().answer).toContain('200 OK')
  await server.stop(0)
})
