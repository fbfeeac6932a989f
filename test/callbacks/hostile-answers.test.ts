/** Receivers that answer so as to do harm. */
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createHttpSend } from '../../src/callbacks/http-send.ts'
import { socketReceiver } from '../support/live.ts'

/** Writes as long as the connection takes it. */
const forever = (socket: Socket, text: string) => {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', write)
  write()
}

const said = async (answer: (socket: Socket) => void, timeout = 60_000) => {
  const { url, close } = await socketReceiver((socket) => void socket.once('data', () => answer(socket)))
  const { send, close: stop } = createHttpSend()
  const outcome = await send({ world: 'a', url, body: '{}', headers: { 'content-length': '2' }, timeout })
  stop()
  await close()
  return outcome
}

describe('a response', () => {
  it.each([
    ['endless headers', 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n', /headers of more than 16 KiB/],
    ['one endless header', 'HTTP/1.1 200 OK\r\nx-a: ', 'bbbbbbbb', /headers of more than 16 KiB/],
    ['an endless status line', 'HTTP/1.1 200 ', 'OK', /./],
    ['endless interim responses', '', 'HTTP/1.1 100 Continue\r\n\r\n', /more than 20 interim responses/],
    [
      'endless early hints',
      '',
      'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n',
      /more than 20 interim responses/,
    ],
  ])('with %s is an error', async (_, head, rest, error) => {
    const outcome = await said((socket) => {
      socket.write(head)
      forever(socket, rest.repeat(100))
    })
    expect(outcome).toMatchObject({ status: null, error: expect.stringMatching(error) })
  })

  it('that switches to another protocol is an error', async () => {
    const outcome = await said((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n')
    })
    expect(outcome).toMatchObject({ status: null, error: expect.stringContaining('closed the connection') })
  })

  it.each([
    ['trailers', '0\r\n', 'x-a: b\r\n'],
    ['a chunk extension', '5;', 'aaaaaaaa'],
    ['chunks', '', '8\r\naaaaaaaa\r\n'],
  ])('with endless %s counts by its status, and its connection is cut', async (_, begin, rest) => {
    const outcome = await said((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${begin}`)
      forever(socket, rest.repeat(100))
    })
    expect(outcome).toMatchObject({ status: 200 })
    expect(outcome?.body?.length).toBeLessThanOrEqual(4_096)
  })

  it('that trickles ends at the total time limit', async () => {
    const outcome = await said((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\na')
    }, 1_000)
    expect(outcome).toMatchObject({ status: 200, body: 'a' })
  })

  it('with excess data does not affect the next callback on the connection', async () => {
    const { url } = await socketReceiver((socket) => {
      socket.on('data', () =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n'),
      )
    })
    const { send, close } = createHttpSend()
    const post = () => send({ world: 'a', url, body: '{}', headers: { 'content-length': '2' } })
    expect(await post()).toMatchObject({ status: 200, body: 'ok' })
    expect(await post()).toMatchObject({ status: 200, body: 'ok' })
    close()
  })
})
