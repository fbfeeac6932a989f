import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandLine, ended, listening } from './process.ts'

const headers = {
  'content-type': 'application/json',
  'user-agent': 'payments-sandbox',
  'webhook-id': 'msg_1',
  'webhook-signature': 'v1,abc=',
}
const body = '{"message":"Zahlung für Tür 5 ✓",  "amount":1}'

/** A sandbox that streams what it is told to, and shows the callbacks it is given. */
async function sandbox() {
  const streams = new Set<ServerResponse>()
  const requested: { path: string; authorization: string | undefined; after: string | undefined }[] = []
  const callbacks = new Map<string, object>()
  const sent: string[] = []
  const statuses: number[] = []
  let events = 0
  const server = createServer((request, answer) => {
    const { authorization, 'last-event-id': after } = request.headers
    requested.push({ path: request.url!, authorization, after: after as string | undefined })
    if (authorization !== `Basic ${btoa('demo:demo')}`) return answer.writeHead(401).end('{}')
    if (request.url !== '/sandbox/events') {
      const status = statuses.shift() ?? 200
      const told = status === 200 ? callbacks.get(request.url!) : {}
      return answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(told))
    }
    streams.add(answer.writeHead(200, { 'content-type': 'text/event-stream' }))
    if (after === undefined) return answer.write(`: listening\nid: life-${events}\n\n`)
    answer.write(': listening\n\n')
    return sent.slice(Number(/\d+$/.exec(after as string)![0])).forEach((block) => answer.write(block))
  })
  const { port } = await listening(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requested,
    /** What it answers when it is next asked for a callback, in turn. */
    statuses,
    attempt(id: number, attempts: readonly { url: string; headers?: Record<string, string> }[]) {
      callbacks.set(`/sandbox/callbacks/${id}`, {
        callback: { external_reference: `order-${id}`, transaction: 'U' },
        attempts: attempts.map(({ url, headers: own }) => ({
          url,
          request: { headers: { ...headers, ...own }, body },
        })),
      })
      const data = JSON.stringify({ type: 'attempt', data: { callback_id: id } })
      const block = `id: life-${++events}\nevent: attempt\ndata: ${data}\n\n`
      sent.push(block)
      for (const stream of streams) stream.write(block)
    },
    /** Cuts every stream. */
    cut() {
      for (const stream of streams) stream.destroy()
      streams.clear()
    },
  }
}

/** A server on this machine that gives the answers in turn, the last one again and again. */
async function local(...answers: readonly number[]) {
  const received: { url: string; headers: IncomingHttpHeaders; bytes: Buffer }[] = []
  const { port } = await listening(
    createServer((request, answer) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        received.push({ url: request.url!, headers: request.headers, bytes: Buffer.concat(parts) })
        answer.writeHead(answers[Math.min(received.length, answers.length) - 1] ?? 200).end()
      })
    }),
  )
  return { address: `http://127.0.0.1:${port}`, received }
}

async function listen(url: string, forwardTo: string) {
  const running = commandLine(['listen', '--url', url, '--forward-to', forwardTo])
  onTestFinished(running.stop)
  await running.shown('listening to')
  return running
}

describe('listen', () => {
  it('forwards a callback with its headers and body to its original path', async () => {
    const remote = await sandbox()
    const { address, received } = await local()
    const { shown, stop, code } = await listen(remote.url, address)
    remote.attempt(1, [{ url: 'https://shop.example/hooks/pay?key=1&b=%20' }])
    await shown('200 in')
    expect(received[0]).toMatchObject({
      url: '/hooks/pay?key=1&b=%20',
      headers: { ...headers, host: address.slice(7) },
    })
    expect(received[0]!.bytes.equals(Buffer.from(body))).toBe(true)
    const sign = (bytes: string | Buffer) => createHmac('sha256', 'secret').update(bytes).digest('hex')
    expect(sign(received[0]!.bytes)).toBe(sign(body))
    stop()
    expect(await code).toBe(0)
  })

  it('forwards to the path of the local address if it has one', async () => {
    const remote = await sandbox()
    const { address, received } = await local()
    const { shown } = await listen(remote.url, `${address}/here?x=1`)
    remote.attempt(1, [{ url: 'https://shop.example/elsewhere' }])
    await shown('200 in')
    expect(received.map(({ url }) => url)).toEqual(['/here?x=1'])
  })

  it('keeps a Host header that the signature covers', async () => {
    const remote = await sandbox()
    const { address, received } = await local()
    const { shown } = await listen(remote.url, address)
    remote.attempt(1, [
      { url: 'https://shop.example/pay', headers: { 'signature-input': 'sig-pp=("@authority")' } },
    ])
    await shown('200 in')
    expect(received[0]!.headers.host).toBe('shop.example')
  })

  it('forwards a retry only until the local server has accepted the callback', async () => {
    const remote = await sandbox()
    const { address, received } = await local(500, 204)
    const { shown, printed } = await listen(remote.url, address)
    const attempt = { url: 'https://shop.example/pay' }
    remote.attempt(1, [attempt])
    await shown('500 in')
    remote.attempt(1, [attempt, attempt])
    await shown('204 in')
    remote.attempt(1, [attempt, attempt, attempt])
    remote.attempt(2, [attempt])
    await shown('order-2')
    expect(received).toHaveLength(3)
    expect(printed.out.match(/order-1/g)).toHaveLength(2)
  })

  it('reports an unreachable local server and continues', async () => {
    const remote = await sandbox()
    const gone = await listening(createServer())
    await gone.close()
    const { shown, printed } = await listen(remote.url, `http://127.0.0.1:${gone.port}`)
    remote.attempt(1, [{ url: 'https://shop.example/pay' }])
    await shown('order-1')
    expect(printed.out).toContain(`nothing listens at http://127.0.0.1:${gone.port}`)
    remote.attempt(2, [{ url: 'https://shop.example/pay' }])
    await shown('order-2')
  })

  it('continues after the last event when the sandbox is back', async () => {
    const remote = await sandbox()
    const { address } = await local()
    const { shown } = await listen(remote.url, address)
    remote.attempt(1, [{ url: 'https://shop.example/pay' }])
    await shown('order-1')
    remote.cut()
    await shown(' again')
    expect(
      remote.requested.filter(({ path }) => path === '/sandbox/events').map(({ after }) => after),
    ).toEqual([undefined, 'life-1'])
  })

  it('reconnects from its start if it has received no event yet', async () => {
    const remote = await sandbox()
    const { address } = await local()
    const { shown } = await listen(remote.url, address)
    remote.cut()
    remote.attempt(1, [{ url: 'https://shop.example/pay' }])
    await shown('of order-1')
    expect(remote.requested.find(({ after }) => after !== undefined)).toMatchObject({ after: 'life-0' })
  })

  it('retries reading a callback, and skips a deleted one', async () => {
    const remote = await sandbox()
    const { address, received } = await local()
    const { shown, printed } = await listen(remote.url, address)
    remote.statuses.push(503, 200, 404)
    remote.attempt(1, [{ url: 'https://shop.example/pay' }])
    await shown('of order-1')
    remote.attempt(2, [{ url: 'https://shop.example/pay' }])
    remote.attempt(3, [{ url: 'https://shop.example/pay' }])
    await shown('of order-3')
    expect(received).toHaveLength(2)
    expect(printed.out.match(/listening to .* again/g)).toHaveLength(1)
  })

  it('exits with 4 if no sandbox answers', async () => {
    const { port, close } = await listening(createServer())
    await close()
    const url = `http://127.0.0.1:${port}`
    expect(await ended(['listen', '--forward-to', 'http://127.0.0.1:3000', '--url', url])).toEqual({
      code: 4,
      out: '',
      err: `nothing listens at ${url}; start a sandbox there, or pass its address with --url\n`,
    })
  })

  it('exits with 4 if another server answers', async () => {
    const { port } = await listening(createServer((_, answer) => answer.end('hello')))
    const { code, err } = await ended(['listen', '--forward-to', 'http://127.0.0.1:3000'], {
      PORT: `${port}`,
    })
    expect(code).toBe(4)
    expect(err).toBe(`http://127.0.0.1:${port} responds with 200 and no content type: is it a sandbox?\n`)
  })

  it('exits with 1 if the credentials are rejected', async () => {
    const { url } = await sandbox()
    const { code, err } = await ended([
      'listen',
      '--forward-to',
      'http://127.0.0.1:3000',
      '--url',
      url,
      '--user',
      'demo:no',
    ])
    expect({ code, err }).toEqual({
      code: 1,
      err: `${url} rejects the user "demo" with this password.\n`,
    })
  })

  it('exits with 2 without a local server or with malformed credentials', async () => {
    expect(await ended(['listen'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--forward-to <address>'),
    })
    expect(await ended(['listen', '--forward-to', 'http://127.0.0.1:3000', '--user', 'demo'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('such as demo:demo'),
    })
  })
})
