/** Forwards requests to the process that answers for their world. */
import { Agent, request, type ServerResponse } from 'node:http'
import { later, systemMonotonic } from '../lib/clock/clock.ts'
import { systemUuid } from '../lib/random/random.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import { LONGEST_WAIT, type Peer, type WorldOwners } from '../storage/engine/shared-state.ts'
import { credentialsIn, type Incoming, isRepeatable, isWithoutBody, NOT_OWNER } from './caller.ts'

/** Answers a request at another process, or calls `serve`. Small bodies are read before. */
export type Forward = (incoming: Incoming, outgoing: ServerResponse, serve: () => void) => void

interface ForwardOptions {
  readonly owners: WorldOwners
  /** The token of requests that other processes forward to this one. */
  readonly token: string
  /** The name of the default world. */
  readonly home: string
  readonly onForwarded?: ((outcome: ForwardOutcome) => void) | undefined
}

/**
 * - `answered`: the other process answered.
 * - `refused`: it does not answer for the world.
 * - `unreachable`: it had no part in the request.
 * - `lost`: it ended while it handled the request.
 */
export type ForwardOutcome = 'answered' | 'refused' | 'unreachable' | 'lost'

/**
 * Contains the token of the receiving process, the id of the request, the milliseconds that it may still wait for owners, the
 * address of the client, and the entry of another process that refused it. Such a request is never forwarded again: a process that
 * does not answer for the world returns 421.
 */
const FORWARDED = 'sandbox-forwarded'
/** A connection, or the sign of life of a silent process, may take this long, milliseconds. */
const PATIENCE = 250
/** Shorter than the time for which processes keep idle connections, milliseconds. */
const LONGEST_IDLE = 30_000
const MOST_KNOWN = 10_000
/** A process that could not be reached is not tried for this long, milliseconds. */
const AVOIDED_FOR = 10_000
/** How many processes are tried: one that answered for the world before, and the one that does now. */
const MOST_TRIES = 2
/** Paths that belong to a world. */
const OF_WORLD = /^\/(?:api|sandbox|mcp)(?:[/?]|$)/
/** Operations whose only effect is a change of rows, and those without an effect before their first change of rows. */
const CHANGES_ROWS = /^\/api\//
const CHANGES_ROWS_FIRST = /^\/(?:api|sandbox)\//
const HOP_BY_HOP: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-connection transfer-encoding upgrade expect te'.split(' ').concat(NOT_OWNER),
)

const RETRY_SOON = { 'retry-after': '1' }

function refuse(outgoing: ServerResponse, status_code: number, error_message: string, more = {}): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', ...more }
  outgoing.writeHead(status_code, headers)
  outgoing.end(JSON.stringify({ error_code: 'unavailable', error_message, status_code }))
}

export function createForward({ owners, token, home, onForwarded = () => {} }: ForwardOptions): Forward {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: LONGEST_IDLE })
  /** The processes that answered for worlds. They need not do so any more: every process can serve every world. */
  const known = new Map<string, Peer>()
  /** Processes that could not be reached, and until when they are not tried. */
  const avoided = new Map<string, number>()

  async function find(world: string): Promise<Peer | undefined> {
    const peer = known.get(world) ?? (await owners.answering(world))
    if (!peer || known.has(world)) return peer
    if ((avoided.get(peer.id) ?? 0) > systemMonotonic()) return undefined
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!)
    known.set(world, peer)
    return peer
  }

  function avoid({ id }: Peer): void {
    if (avoided.size >= MOST_KNOWN) avoided.clear()
    avoided.set(id, systemMonotonic() + AVOIDED_FOR)
  }

  async function pass(world: string, until: number, ...[incoming, outgoing, serve]: Parameters<Forward>) {
    const id = systemUuid()
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const peer = await find(world).catch(() => undefined)
      if (!peer || outgoing.destroyed) return serve()
      const isOwner = async () => (await owners.answering(world))?.id === peer.id
      const outcome = await send(peer, { id, until, isOwner }, incoming, outgoing, agent)
      onForwarded(outcome)
      if (outcome === 'answered') return
      known.delete(world)
      if (outgoing.headersSent) return
      if (outcome === 'unreachable') avoid(peer)
      if (outcome === 'lost') return recover(world, id, incoming, outgoing, serve)
    }
    serve()
  }

  /** Finds out whether a lost request had an effect: if it had none, and cannot have one any more, it is served here. */
  async function recover(world: string, id: string, ...[incoming, outgoing, serve]: Parameters<Forward>) {
    if (outgoing.destroyed) return
    const { url = '', handedOver } = incoming
    // An owner that goes on has refused a change of the request.
    const isKnown =
      (handedOver === undefined ? CHANGES_ROWS : CHANGES_ROWS_FIRST).test(url) && isRepeatable(incoming)
    const effect = isKnown ? await owners.hadEffect(world, id).catch(() => undefined) : undefined
    if (effect === false) return serve()
    const what = effect ? 'and has stored it' : 'and may have stored it'
    refuse(
      outgoing,
      503,
      `The process that answers for the world ${world} ended or lost it while it handled this request, ${what}. Look for it before you send it again.`,
    )
  }

  return (incoming, outgoing, serve) => {
    const { headers, url = '' } = incoming
    const mark = headers[FORWARDED]
    const world = OF_WORLD.test(url) ? worldOf(headers.authorization, home) : undefined
    if (mark !== undefined) {
      const { id, wait } = takeMark(incoming, String(mark), token) ?? {}
      if (id === undefined || world === undefined || !owners.isOwn(world))
        return refuse(outgoing, 421, 'This process does not answer for the world of a forwarded request.')
      const onRefused = () => {
        if (!outgoing.headersSent) outgoing.setHeader(NOT_OWNER, '1')
      }
      const request = { world, id, onRefused, isAnswered: () => outgoing.writableFinished }
      return owners.within(systemMonotonic() + wait!, () => owners.asForwarded(request, serve))
    }
    const until = systemMonotonic() + LONGEST_WAIT
    owners.within(until, () => {
      if (world === undefined || owners.isOwn(world)) serve()
      else void pass(world, until, incoming, outgoing, serve)
    })
  }
}

/**
 * Makes a forwarded request look as it arrived at the other process. Returns its id and how long it may wait for owners, or undefined
 * if it is not for this one.
 */
function takeMark(incoming: Incoming, mark: string, token: string) {
  const [given = '', id, wait, client, ...handedOver] = mark.split(' ')
  if (!safeEqual(given, token)) return undefined
  delete incoming.headers[FORWARDED]
  const at = incoming.rawHeaders.findIndex((name, n) => n % 2 === 0 && name.toLowerCase() === FORWARDED)
  incoming.rawHeaders.splice(at, 2)
  if (handedOver.length > 0) incoming.handedOver = handedOver.join(' ')
  // The connection belongs to the other process, which sends one request after another.
  Object.defineProperty(incoming.socket, 'remoteAddress', { value: client, configurable: true })
  return { id, wait: Number(wait) }
}

function worldOf(authorization: string | undefined, home: string): string | undefined {
  const username = authorization === undefined ? undefined : credentialsIn(authorization)?.username
  if (username === undefined) return undefined
  const plus = username.indexOf('+')
  return plus < 0 ? home : home + username.slice(plus)
}

interface Passed {
  readonly id: string
  /** When its waits for owners end, in monotonic time. */
  readonly until: number
  /** Returns whether the other process still answers for the world. */
  readonly isOwner: () => Promise<boolean>
}

/** Sends a request to another process and its response to the client. */
function send(
  peer: Peer,
  { id, until, isOwner }: Passed,
  incoming: Incoming,
  outgoing: ServerResponse,
  agent: Agent,
): Promise<ForwardOutcome> {
  return new Promise((resolve) => {
    const { method = 'GET', rawBody } = incoming
    const isSafe = method === 'GET' || method === 'HEAD'
    /** Whether the other process may have read the request. */
    let isSent = false
    let isAnswered = false
    let isOver = false
    let cancel = () => {}
    const end = (outcome: ForwardOutcome) => {
      if (isOver) return
      isOver = true
      cancel()
      resolve(outcome)
    }
    const { hostname, port } = new URL(peer.address)
    const left = Math.round(until - systemMonotonic())
    const passed = request({
      agent,
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: incoming.url,
      headers: [
        ...endToEnd(incoming.rawHeaders),
        ...(rawBody || incoming.headers['transfer-encoding'] === undefined
          ? []
          : ['Transfer-Encoding', 'chunked']),
        FORWARDED,
        `${peer.token} ${id} ${left} ${incoming.socket.remoteAddress} ${incoming.handedOver ?? ''}`,
      ],
    })
    const watch = () => {
      cancel = later(PATIENCE, () => {
        // A process that has just left the world still answers what it has begun.
        isOwner()
          .catch(() => true)
          .then(async (still) => {
            const goesOn = still || (await isAlive(hostname, port))
            if (isAnswered || isOver) return
            if (goesOn) return watch()
            end(isSafe ? 'refused' : 'lost')
            passed.destroy()
          })
      })
    }
    passed.on('socket', (socket) => {
      const go = () => {
        cancel()
        if (isOver) return
        isSent = true
        watch()
        if (rawBody) passed.end(rawBody)
        else if (incoming.readableEnded || isWithoutBody(incoming)) passed.end()
        else incoming.pipe(passed)
      }
      if (!socket.connecting) return go()
      cancel = later(PATIENCE, () => passed.destroy())
      socket.once('connect', go)
    })
    passed.on('response', (answer) => {
      isAnswered = true
      cancel()
      const handedOver = answer.headers[NOT_OWNER]
      if (handedOver !== undefined && isRepeatable(incoming)) {
        incoming.handedOver = String(handedOver)
        answer.resume()
        return end(isSafe ? 'refused' : 'lost')
      }
      if (answer.statusCode === 421) {
        answer.resume()
        if (!isRepeatable(incoming))
          refuse(outgoing, 503, 'Another process answers for the world by now; send it again.', RETRY_SOON)
        return end('refused')
      }
      outgoing.writeHead(answer.statusCode!, answer.statusMessage!, endToEnd(answer.rawHeaders))
      outgoing.flushHeaders()
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
      answer.on('close', () => end('answered'))
    })
    passed.on('error', () => {
      if (isOver) return
      if (outgoing.headersSent || outgoing.destroyed) return end('answered')
      if (!isSent) return end('unreachable')
      if (isSafe) return end('refused')
      // A process that goes on has closed the connection on purpose, as a scenario demands.
      isAlive(hostname, port).then(
        (alive) => {
          if (alive) outgoing.destroy()
          end(alive ? 'answered' : 'lost')
        },
        () => end('lost'),
      )
    })
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) passed.destroy()
    })
  })
}

function isAlive(host: string, port: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host, port, path: '/livez', agent: false }, (answer) => {
      answer.resume()
      resolve(true)
    })
    const cancel = later(PATIENCE, () => asked.destroy())
    asked.on('error', () => resolve(false))
    asked.on('close', cancel)
    asked.end()
  })
}

function endToEnd(headers: readonly string[]): string[] {
  const left: string[] = []
  for (let n = 0; n < headers.length; n += 2)
    if (!HOP_BY_HOP.has(headers[n]!.toLowerCase())) left.push(headers[n]!, headers[n + 1]!)
  return left
}
