import http from 'node:http'
import https from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { later } from '../lib/clock/clock.ts'
import { createWorldLimiter, limitOfOneWorld } from './limits.ts'
import { messageOfFailure } from './failure-messages.ts'
import { createReceivers, type Receivers } from './receivers/receivers.ts'
import { type OutgoingCallback, readAnswer, type Send, type SendResult } from './send.ts'

interface HttpSendOptions {
  /** Resolves names for a world; by default the system does. */
  readonly lookup?: (world: string) => LookupFunction
  /** Maximum number of open connections, including idle ones. Further requests wait. */
  readonly most?: number
  /** Receivers in this process. */
  readonly receivers?: Receivers
}

/** Default time limit in milliseconds. */
const TIME_LIMIT = 10_000
/** Maximum number of interim responses (1xx). */
const MOST_INTERIM = 20
/** The pieces of a slow body, and their share of the time limit. */
const PIECES = 8
const SLOW_PART = 0.4
/** Milliseconds between the last byte and a deliberate cut, so that the receiver can read the request. */
const UNTIL_READ = 20
/**
 * Maximum length of a body on a shared connection. A receiver may leave a longer one unread, and block later requests on the
 * connection.
 */
const MOST_KEPT = 65_536

interface Connections {
  readonly agents: Agents
  readonly running: Set<http.ClientRequest>
  readonly lookup: HttpSendOptions['lookup'] | undefined
  closed: boolean
}

/**
 * Sends over HTTP and HTTPS with keep-alive and without redirects. Never repeats a request of which bytes were sent, because the
 * receiver may have processed it before the connection broke.
 */
export function createHttpSend({
  lookup,
  most = 512,
  receivers = createReceivers({}),
}: HttpSendOptions = {}): {
  send: Send
  close(): void
} {
  const agents = createAgents(most, receivers)
  const connections: Connections = { agents, running: new Set(), lookup, closed: false }
  const run = createWorldLimiter(most, limitOfOneWorld(most))
  return {
    send: (outgoing) =>
      new Promise((resolve) => {
        run(outgoing.world, () => post(connections, outgoing).then(resolve))
      }),
    close() {
      connections.closed = true
      for (const request of connections.running) request.destroy()
      connections.agents.close()
    },
  }
}

/**
 * Makes one request. If a reused connection was closed before anything was sent, makes it over a new one.
 * @param keptAlive whether the request may reuse a connection
 */
function post(
  connections: Connections,
  outgoing: OutgoingCallback,
  keptAlive = true,
): Promise<SendResult | undefined> {
  return new Promise((resolve) => {
    if (connections.closed) return resolve(undefined)
    const { timeout = TIME_LIMIT } = outgoing
    const failed = (error: Error & { code?: string }) =>
      resolve(
        connections.closed
          ? undefined
          : { status: null, code: error.code, ...messageOfFailure(error, outgoing.url) },
      )
    try {
      const request = open(connections, outgoing, keptAlive)
      connections.running.add(request)
      // A response counts from its status on, even if its body never ends.
      let answered = false
      let begun = false
      const stop = later(timeout, () => request.destroy(timedOut()))
      request.on('close', () => {
        stop()
        connections.running.delete(request)
        // A response that changes the protocol (101) ends without an error.
        if (!answered) failed(closedEarly())
      })
      request.on('error', (error: Error & { code?: string }) => {
        if (answered && !connections.closed) return
        if (begun || !request.reusedSocket || connections.closed) return failed(error)
        request.destroy()
        resolve(post(connections, outgoing, false))
      })
      request.on('response', (response) => {
        if (outgoing.loseAnswer) return request.destroy(lost())
        answered = true
        void readAnswer(response).then((answer) => resolve({ ...answer, error: '' }))
      })
      request.on('socket', (socket) => {
        connections.agents.opened(socket)
        whenNotClosed(request, () => {
          begun = true
          write(request, outgoing, timeout)
        })
      })
    } catch (error) {
      failed(error as Error)
    }
  })
}

function open(
  { agents, lookup }: Connections,
  { world, url, method = 'POST', headers, body, cutAt = null, loseAnswer, tls }: OutgoingCallback,
  keptAlive: boolean,
): http.ClientRequest {
  const kept = keptAlive && cutAt === null && !loseAnswer && body.length <= MOST_KEPT
  const agent = agents.take(url, kept)
  const request = (url.startsWith('https:') ? https : http).request(url, {
    method,
    agent,
    headers,
    ...(tls as https.RequestOptions | undefined),
    ...(lookup && { lookup: lookup(world) }),
  })
  let interim = 0
  const count = () => ++interim > MOST_INTERIM && request.destroy(tooManyInterim())
  request.on('continue', count)
  request.on('information', count)
  return request
}

const closedEarly = () => Object.assign(new Error('closed'), { code: 'ECONNRESET' })
const tooManyInterim = () => new Error(`more than ${MOST_INTERIM} interim responses (1xx) and no final one`)
const timedOut = () => Object.assign(new Error('time limit'), { code: 'ETIMEDOUT' })

/**
 * Runs `work` at once on a new connection. The receiver may have closed a reused one, so the event loop first polls it: two turns,
 * because the current one may have polled too early.
 */
function whenNotClosed(request: http.ClientRequest, work: () => void): void {
  if (!request.reusedSocket) return work()
  setImmediate(() => setImmediate(() => request.destroyed || work()))
}

function write(
  request: http.ClientRequest,
  { body, cutAt = null, slow, loseAnswer }: OutgoingCallback,
  timeout: number,
): void {
  if (cutAt !== null) {
    request.flushHeaders()
    request.write(Buffer.from(body).subarray(0, cutAt), () => request.destroy(cutOff()))
  } else if (slow) {
    trickle(request, Buffer.from(body), Math.floor((timeout * SLOW_PART) / PIECES))
  } else if (loseAnswer) {
    request.end(body, () => later(UNTIL_READ, () => request.destroy(lost())))
  } else {
    request.end(body)
  }
}

const lost = () => Object.assign(new Error('lost on purpose'), { code: 'LOST' })
const cutOff = () => Object.assign(new Error('cut off on purpose'), { code: 'CUT_OFF' })

function trickle(
  request: http.ClientRequest,
  rest: Buffer,
  pause: number,
  size = Math.ceil(rest.length / PIECES),
): void {
  if (request.destroyed) return
  if (rest.length <= size) {
    request.end(rest)
    return
  }
  request.write(rest.subarray(0, size))
  later(pause, () => trickle(request, rest.subarray(size), pause, size))
}

type Agents = ReturnType<typeof createAgents>

/** Milliseconds before an idle connection is closed. Receivers close theirs after 2 seconds or more. */
const KEPT_IDLE = 1_000

/** @param most - Number of connections from which on a new one replaces an idle one. */
function createAgents(most: number, receivers: Receivers) {
  const kept = { keepAlive: true, timeout: KEPT_IDLE }
  const agents = [new http.Agent(kept), new https.Agent(kept)] as const
  const open = new Set<Socket>()

  const dropUnused = () => {
    for (const { freeSockets } of agents)
      for (const [unused] of Object.values(freeSockets) as Socket[][]) if (unused) return unused.destroy()
  }

  return {
    /** Returns the agent for a request, or false for a connection of its own. */
    take(url: string, kept: boolean): http.Agent | false {
      const within = receivers.agent(url, kept)
      if (within || !kept) return within ?? false
      if (open.size >= most) dropUnused()
      return agents[url.startsWith('https:') ? 1 : 0]
    },
    /** Registers the connection of a request. */
    opened(socket: Socket): void {
      if (open.has(socket)) return
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    },
    close() {
      for (const agent of agents) agent.destroy()
      receivers.close()
    },
  }
}
