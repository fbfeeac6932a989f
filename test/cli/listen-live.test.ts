import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect, createServer as createLine, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { pay } from '../support/suite.ts'
import { commandLine, listening, started } from './process.ts'

type Arrival = { headers: IncomingHttpHeaders; body: Buffer }

/** A server that takes every request. */
async function receiver() {
  const arrivals: Arrival[] = []
  const { port } = await listening(
    createServer((request, answer) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        arrivals.push({ headers: request.headers, body: Buffer.concat(parts) })
        answer.end()
      })
    }),
  )
  return { url: `http://127.0.0.1:${port}`, arrivals }
}

const sandbox = (port: string | number = 0, env: Record<string, string> = {}) =>
  started(['--port', String(port), '--settle-after', '0'], env)

async function listen(url: string, forwardTo: string) {
  const running = commandLine(['listen', '--url', url, '--forward-to', forwardTo])
  onTestFinished(running.stop)
  await running.shown('listening to')
  return running
}

/** A line to a port of this machine, whose connections can be cut, and which can be led elsewhere or nowhere. */
async function lineTo(first: number) {
  const to: { port: number | undefined } = { port: first }
  const ends = new Set<Socket>()
  const server = createLine((near) => {
    if (to.port === undefined) return near.destroy()
    const far = connect(to.port, '127.0.0.1')
    for (const end of [near, far]) ends.add(end.on('error', () => {}))
    return near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => ends.forEach((end) => end.destroy())
  onTestFinished(() => {
    cut()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut, to }
}

async function secretOf(url: string): Promise<string> {
  const headers = { authorization: `Basic ${btoa('demo:demo')}` }
  const answer = await fetch(`${url}/sandbox/signing-secret`, { headers })
  return ((await answer.json()) as { secret: string }).secret
}

/** What of the headers is not the connection's own. */
const lasting = ({ headers: { host: _host, connection: _connection, ...rest } }: Arrival) => rest

const orders = (arrivals: readonly Arrival[]) =>
  arrivals.map(
    ({ body }) => (JSON.parse(body.toString()) as { external_reference: string }).external_reference,
  )

describe('listen, against a running sandbox', () => {
  it('forwards the same headers, bytes and valid signature that the receiver got', async () => {
    const { base } = await sandbox()
    const [there, here] = [await receiver(), await receiver()]
    const { shown } = await listen(base, here.url)
    expect((await pay(base, 'live-1', `${there.url}/callback?key=1`)).status).toBe(201)
    await shown('callback 1 of live-1  POST /callback?key=1  200')
    const [sent, got] = [there.arrivals[0]!, here.arrivals[0]!]
    expect(lasting(got)).toEqual(lasting(sent))
    expect(got.body.equals(sent.body)).toBe(true)
    const webhook = new Webhook(await secretOf(base))
    expect(webhook.verify(got.body, got.headers as Record<string, string>)).toMatchObject({
      external_reference: 'live-1',
    })
    const changed = Buffer.from(got.body.toString().replace('live-1', 'live-2'))
    expect(() => webhook.verify(changed, got.headers as Record<string, string>)).toThrow(/signature/)
  })

  it.each([
    ['kept', true],
    ['gone', false],
  ])('continues after the sandbox restarts, with its rows %s', async (_, kept) => {
    const env: Record<string, string> = kept ? { SANDBOX_DB: join(temporaryFolder(), 'rows.json') } : {}
    const first = await sandbox(0, env)
    const [there, here] = [await receiver(), await receiver()]
    const { shown, printed } = await listen(first.base, here.url)
    await pay(first.base, 'before', there.url)
    await shown('of before')
    first.stop()
    expect(await first.code).toBe(0)
    const { base } = await sandbox(new URL(first.base).port, env)
    await shown(' again')
    await pay(base, 'after', there.url)
    await shown('of after')
    expect(orders(here.arrivals)).toEqual(['before', 'after'])
    expect(printed.err).toBe(`lost the connection to ${base}; reconnecting\n`)
  })

  it.each([
    ['that heard of one payment', 1],
    ['that heard of nothing', 0],
  ])('%s misses no event of a new process whose ids are already higher', async (_, heard) => {
    const [first, second] = [await sandbox(), await sandbox()]
    const [there, here] = [await receiver(), await receiver()]
    const line = await lineTo(Number(new URL(first.base).port))
    const { shown } = await listen(line.url, here.url)
    for (let n = 0; n < heard; n++) {
      await pay(first.base, 'before', there.url)
      await shown('of before')
    }
    line.to.port = undefined
    line.cut()
    for (const order of ['one', 'two', 'three']) await pay(second.base, order, there.url)
    line.to.port = Number(new URL(second.base).port)
    // Callbacks are forwarded concurrently.
    for (const order of ['one', 'two', 'three']) await shown(`of ${order}`)
    expect(orders(here.arrivals).toSorted()).toEqual([...(heard ? ['before'] : []), 'one', 'three', 'two'])
  })

  it('forwards each callback once after a lost connection', async () => {
    const { base } = await sandbox()
    const [there, here] = [await receiver(), await receiver()]
    const line = await lineTo(Number(new URL(base).port))
    const { shown } = await listen(line.url, here.url)
    await pay(base, 'before', there.url)
    await shown('of before')
    line.cut()
    await pay(base, 'meanwhile', there.url)
    await shown(' again')
    await pay(base, 'after', there.url)
    await shown('of after')
    expect(orders(here.arrivals)).toEqual(['before', 'meanwhile', 'after'])
  })
})
