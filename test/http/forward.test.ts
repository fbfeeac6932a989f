import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createForward, type Forward, type ForwardOutcome } from '../../src/http/forward.ts'
import { LONGEST_WAIT, type Peer, type WorldOwners } from '../../src/storage/engine/shared-state.ts'
import { closeLater } from '../support/close-later.ts'

type Incoming = IncomingMessage & { rawBody?: Buffer; handedOver?: string }
type Serve = (incoming: Incoming, outgoing: ServerResponse) => void

/** A process with a port, which owns the worlds of `own` and takes others for those of the peers in `others`. */
async function startProcess(serve: Serve, own: readonly string[] = []) {
  const others = new Map<string, Peer>()
  const state = { effect: undefined as boolean | undefined, asked: 0, forwarded: [] as string[], until: 0 }
  const outcomes: ForwardOutcome[] = []
  const owners: WorldOwners = {
    join: async () => 'unused',
    isOwn: (world) => own.includes(world),
    retire() {},
    async answering(world) {
      state.asked += 1
      return others.get(world)
    },
    within(deadline, work) {
      state.until = deadline
      work()
    },
    asForwarded({ id }, work) {
      state.forwarded.push(id)
      work()
    },
    async hadEffect() {
      if (state.effect === undefined) throw new Error('the world is not free')
      return state.effect
    },
  }
  const token = `token-${Math.random()}`
  const forward: Forward = createForward({
    owners,
    token,
    home: 'demo',
    onForwarded: (outcome) => outcomes.push(outcome),
  })
  const server = createServer((incoming: Incoming, outgoing) => {
    if (incoming.url === '/livez') return void outgoing.end('{}')
    // As with long bodies.
    if (incoming.headers['x-streamed']) return forward(incoming, outgoing, () => serve(incoming, outgoing))
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      if (pieces.length > 0) incoming.rawBody = Buffer.concat(pieces)
      forward(incoming, outgoing, () => serve(incoming, outgoing))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  }
  closeLater(close)
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, others, outcomes, state, close, peer: { id: address, address, token } }
}

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Sends a request as `demo+team`; resolves to an error if the connection is cut. */
function send(
  address: string,
  { method = 'POST', path = '/api/v2/payments', body = '{"amount":10}', headers = {} } = {},
) {
  return new Promise<Answer | Error>((resolve) => {
    const sent = request(
      address + path,
      { method, headers: { authorization: `Basic ${btoa('demo+team:secret')}`, ...headers } },
      (answer) => {
        let text = ''
        answer.on('data', (piece) => (text += piece))
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }))
      },
    )
    sent.on('error', resolve)
    sent.end(body)
  })
}

const asOwner =
  (name: string): Serve =>
  (incoming, outgoing) => {
    outgoing.writeHead(201, { 'x-served-by': name, 'content-type': 'application/json' })
    outgoing.end(
      JSON.stringify({
        body: incoming.rawBody?.toString(),
        client: incoming.socket.remoteAddress,
        entry: incoming.handedOver,
        headers: incoming.rawHeaders,
      }),
    )
  }

/** Two processes: the second one answers for `demo+team`. */
async function startTwo(serve: Serve = asOwner('owner')) {
  const owner = await startProcess(serve, ['demo+team'])
  const other = await startProcess(asOwner('other'))
  other.others.set('demo+team', owner.peer)
  return { owner, other }
}

describe('the forwarding of requests', () => {
  it('sends a request to the owner of its world, as it arrived', async () => {
    const { owner, other } = await startTwo()
    const headers = { host: 'sandbox.example', 'x-forwarded-for': '203.0.113.7' }
    const answer = (await send(other.address, { headers })) as Answer
    expect([answer.status, answer.headers['x-served-by']]).toEqual([201, 'owner'])
    const seen = JSON.parse(answer.text) as { body: string; client: string; headers: string[] }
    expect([seen.body, seen.client]).toEqual(['{"amount":10}', '127.0.0.1'])
    expect(seen.headers).toEqual(expect.arrayContaining(['sandbox.example', '203.0.113.7']))
    expect(seen.headers.join().toLowerCase()).not.toContain('sandbox-forwarded')
    expect([other.outcomes, owner.state.forwarded.length]).toEqual([['answered'], 1])
  })

  it('serves worlds that no other process answers for, and paths that belong to no world', async () => {
    const { other } = await startTwo()
    other.others.clear()
    for (const path of ['/api/v2/payments', '/__admin/worlds', '/dashboard'])
      expect(await send(other.address, { path })).toMatchObject({ headers: { 'x-served-by': 'other' } })
    expect(other.outcomes).toEqual([])
  })

  it('forwards once: a process that does not answer for the world refuses, and the first one serves', async () => {
    const first = await startProcess(asOwner('first'))
    const second = await startProcess(asOwner('second'))
    first.others.set('demo+team', second.peer)
    second.others.set('demo+team', first.peer)
    expect(await send(first.address)).toMatchObject({ status: 201, headers: { 'x-served-by': 'first' } })
    expect([first.outcomes, second.state.asked]).toEqual([['refused', 'refused'], 0])
  })

  it('does the same for a request without a body, and asks again for the owner', async () => {
    const first = await startProcess(asOwner('first'))
    const second = await startProcess(asOwner('second'))
    first.others.set('demo+team', second.peer)
    const reset = { path: '/sandbox/reset', body: '' }
    expect(await send(first.address, reset)).toMatchObject({
      status: 201,
      headers: { 'x-served-by': 'first' },
    })
    first.others.delete('demo+team')
    expect(await send(first.address, reset)).toMatchObject({ headers: { 'x-served-by': 'first' } })
    expect(first.outcomes).toEqual(['refused', 'refused'])
  })

  it('returns 503 if the body went to a process that refused it, and asks again for the owner', async () => {
    const first = await startProcess(asOwner('first'))
    const second = await startProcess(asOwner('second'))
    first.others.set('demo+team', second.peer)
    const answer = (await send(first.address, { headers: { 'x-streamed': '1' } })) as Answer
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('send it again')])
    expect(answer.headers['retry-after']).toBe('1')
    first.others.delete('demo+team')
    expect(await send(first.address)).toMatchObject({ headers: { 'x-served-by': 'first' } })
    expect(first.outcomes).toEqual(['refused'])
  })

  it('refuses a forwarded request with the token of another process', async () => {
    const { owner } = await startTwo()
    const headers = { 'sandbox-forwarded': 'guess id 203.0.113.7' }
    expect(await send(owner.address, { headers })).toMatchObject({ status: 421 })
  })

  it('serves requests itself while it cannot reach the owner, without trying each time', async () => {
    const { owner, other } = await startTwo()
    await owner.close()
    for (let n = 0; n < 3; n += 1)
      expect(await send(other.address)).toMatchObject({ headers: { 'x-served-by': 'other' } })
    expect(other.outcomes).toEqual(['unreachable'])
  })

  it.each([
    ['had no effect', false, 201, 'amount'],
    ['had its effect', true, 503, 'and has stored it'],
    ['may have had its effect', undefined, 503, 'may have stored it'],
  ] as const)(
    'tells the truth if the owner ends during a request that %s',
    async (_, effect, status, text) => {
      const { owner, other } = await startTwo(() => void owner.close())
      other.state.effect = effect
      const answer = (await send(other.address)) as Answer
      expect([answer.status, answer.text.includes(text)]).toEqual([status, true])
      expect(other.outcomes).toEqual(['lost'])
    },
  )

  it('never repeats a request with effects other than on rows', async () => {
    const { owner, other } = await startTwo(() => void owner.close())
    other.state.effect = false
    expect(await send(other.address, { path: '/sandbox/snapshots' })).toMatchObject({ status: 503 })
  })

  it('gives up an owner that is silent and has lost the world', async () => {
    const { other } = await startTwo()
    // Accepts connections, but answers nothing, like a paused process.
    const paused = createServer(() => other.others.delete('demo+team'))
    await new Promise<void>((resolve) => void paused.listen(0, '127.0.0.1', resolve))
    closeLater(async () => {
      paused.closeAllConnections()
      paused.close()
    })
    const address = `http://127.0.0.1:${(paused.address() as AddressInfo).port}`
    other.others.set('demo+team', { id: 'paused', address, token: 'token' })
    other.state.effect = false
    expect(await send(other.address)).toMatchObject({ status: 201, headers: { 'x-served-by': 'other' } })
    expect(other.outcomes).toEqual(['lost'])
  })

  it('waits for the response of an owner that goes on, although it has left the world', async () => {
    const { other } = await startTwo((_, outgoing) => {
      other.others.delete('demo+team')
      // Longer than the other process waits for a sign of life.
      setTimeout(() => outgoing.writeHead(201, { 'x-served-by': 'owner' }).end('{}'), 700)
    })
    expect(await send(other.address)).toMatchObject({ status: 201, headers: { 'x-served-by': 'owner' } })
    expect(other.outcomes).toEqual(['answered'])
  })

  const refusing: Serve = (_, outgoing) => {
    outgoing.setHeader('sandbox-not-owner', 'life req_7')
    outgoing.writeHead(503).end('{}')
  }

  it('serves a request that the owner refused because it lost the world meanwhile, under the same number', async () => {
    const { other } = await startTwo(refusing)
    other.state.effect = false
    const answer = (await send(other.address)) as Answer
    expect(answer).toMatchObject({ status: 201, headers: { 'x-served-by': 'other' } })
    expect(JSON.parse(answer.text)).toMatchObject({ entry: 'life req_7' })
  })

  it('serves a control API request after the owner refused it, but no MCP call', async () => {
    const { other } = await startTwo(refusing)
    other.state.effect = false
    expect(await send(other.address, { path: '/sandbox/clock/freeze' })).toMatchObject({
      status: 201,
      headers: { 'x-served-by': 'other' },
    })
    const answer = (await send(other.address, { path: '/mcp' })) as Answer
    expect([answer.status, answer.text.includes('may have stored it')]).toEqual([503, true])
    other.state.effect = true
    expect(await send(other.address, { path: '/sandbox/clock/freeze' })).toMatchObject({ status: 503 })
  })

  it('gives a request one deadline in all processes', async () => {
    const { owner, other } = await startTwo()
    const sent = performance.now()
    await send(other.address)
    expect(other.state.until - sent).toBeGreaterThan(LONGEST_WAIT - 1)
    expect(other.state.until).toBeLessThan(performance.now() + LONGEST_WAIT)
    expect(Math.abs(owner.state.until - other.state.until)).toBeLessThan(performance.now() - sent)
  })

  it('passes a refused query to the next owner, with its number', async () => {
    const { other } = await startTwo((incoming, outgoing) => {
      other.others.set('demo+team', next.peer)
      refusing(incoming, outgoing)
    })
    const next = await startProcess(asOwner('next'), ['demo+team'])
    const answer = (await send(other.address, { method: 'GET', body: '' })) as Answer
    expect(answer).toMatchObject({ status: 201, headers: { 'x-served-by': 'next' } })
    expect(JSON.parse(answer.text)).toMatchObject({ entry: 'life req_7' })
    expect(other.outcomes).toEqual(['refused', 'answered'])
  })

  it('cuts the connection when a scenario of the owner cuts it', async () => {
    const { other } = await startTwo((_, outgoing) => void outgoing.destroy())
    expect(await send(other.address)).toBeInstanceOf(Error)
    expect(other.outcomes).toEqual(['answered'])
  })
})
