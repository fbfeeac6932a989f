import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { later } from '../clock.ts'
import { readAnswer, type Answer } from './answer.ts'
import { createAgents } from './connections.ts'
import { inPlainWords } from './plain-words.ts'
import { Shares } from './shares.ts'

export interface Outgoing {
  /** Whose callback it is. */
  readonly world: string
  readonly url: string
  readonly body: string
  readonly headers: { readonly [name: string]: string }
  /** Milliseconds until the status of an answer must be there. */
  readonly timeout?: number
  /** How many bytes are written before the connection is cut; null: all of them. */
  readonly cutAt?: number | null
  /** The bytes of the body trickle. */
  readonly slow?: boolean
}

/** How it ended: the receiver's answer, or a null status and why there was none, in plain words. */
export interface Outcome extends Partial<Omit<Answer, 'status'>> {
  readonly status: number | null
  readonly error: string
  /** What to change, where the error tells. */
  readonly advice?: string
}

/** POSTs a callback; resolves whatever happens, with undefined when the sandbox itself was closed meanwhile. */
export type Send = (outgoing: Outgoing) => Promise<Outcome | undefined>

export interface HttpSendOptions {
  /** How names become addresses for a world; the system's way when left out. */
  readonly lookup?: ((world: string) => LookupFunction) | undefined
  /** How many connections there may be at once, those kept unused included; what is over it waits. */
  readonly most?: number | undefined
}

/** Milliseconds, where the sender says nothing. */
const TIME_LIMIT = 10_000
/** How many of all connections one world may have. */
export const shareOfOne = (most: number) => Math.ceil(most / 4)
/** Answers of 1xx before the one that counts. */
const MOST_INTERIM = 20
/** A slow body comes in so many pieces, over this part of the time limit. */
const PIECES = 8
const SLOW_PART = 0.4

/**
 * Sends over HTTP and HTTPS with connections kept alive; never follows a redirect. What was begun is never sent again:
 * of a connection that broke then, nobody can tell whether the receiver had read it.
 */
export function createHttpSend({ lookup, most = 512 }: HttpSendOptions = {}): { send: Send; close(): void } {
  const agents = createAgents(most)
  const running = new Set<http.ClientRequest>()
  const shares = new Shares(most, shareOfOne(most))
  let closed = false

  const send: Send = (outgoing) =>
    new Promise((resolve) => {
      const start = () => void sendNow(outgoing).then(resolve).finally(end)
      const end = () => over()
      const over = shares.take(outgoing.world, start)
    })

  const sendNow: Send = async (outgoing) => {
    const outcome = await once(outgoing)
    return outcome === 'not begun' ? ((await once(outgoing, false)) as Outcome | undefined) : outcome
  }

  const once = (outgoing: Outgoing, keptAlive = true): Promise<Outcome | undefined | 'not begun'> =>
    new Promise((resolve) => {
      if (closed) return resolve(undefined)
      const { world, url, timeout = TIME_LIMIT, cutAt = null } = outgoing
      const failed = (error: Error & { code?: string }) =>
        resolve(closed ? undefined : { status: null, ...inPlainWords(error, url) })
      try {
        const secure = url.startsWith('https:')
        const agent = keptAlive && cutAt === null && agents.take(secure)
        const request = (secure ? https : http).request(url, {
          method: 'POST',
          agent,
          headers: outgoing.headers,
          ...(lookup && { lookup: lookup(world) }),
        })
        running.add(request)
        // The status was there in time: a body that never ends takes nothing from it.
        let answered = false
        let begun = false
        const stop = later(timeout, () => request.destroy(timedOut()))
        request.on('close', () => {
          stop()
          running.delete(request)
          // An answer that changes the protocol (101) ends without an error.
          if (!answered) failed(closedEarly())
        })
        let interim = 0
        const count = () => ++interim > MOST_INTERIM && request.destroy(tooManyInterim())
        request.on('continue', count)
        request.on('information', count)
        request.on('error', (error: Error & { code?: string }) => {
          if (answered && !closed) return
          if (begun || !request.reusedSocket || closed) return failed(error)
          request.destroy()
          resolve('not begun')
        })
        request.on('response', (response) => {
          answered = true
          void readAnswer(response).then((answer) => resolve({ ...answer, error: '' }))
        })
        request.on('socket', (socket) => {
          agents.opened(socket)
          whenNotClosed(request, () => {
            begun = true
            write(request, outgoing, timeout)
          })
        })
      } catch (error) {
        failed(error as Error)
      }
    })

  return {
    send,
    close() {
      closed = true
      for (const request of running) request.destroy()
      agents.close()
    },
  }
}

const closedEarly = () => Object.assign(new Error('closed'), { code: 'ECONNRESET' })
const tooManyInterim = () => new Error(`more than ${MOST_INTERIM} interim answers (1xx) and no final one`)
const timedOut = () => Object.assign(new Error('time limit'), { code: 'ETIMEDOUT' })

/**
 * Goes on at once on a new connection. On a kept one only when the news that the receiver has closed it, if there are
 * any, were read: a turn of the event loop that has begun may have looked before they came, the next one has not.
 */
function whenNotClosed(request: http.ClientRequest, work: () => void): void {
  if (!request.reusedSocket) return work()
  setImmediate(() => setImmediate(() => request.destroyed || work()))
}

function write(request: http.ClientRequest, { body, cutAt = null, slow }: Outgoing, timeout: number): void {
  if (cutAt !== null) {
    request.flushHeaders()
    request.write(Buffer.from(body).subarray(0, cutAt), () => request.destroy(cutOff()))
  } else if (slow) {
    trickle(request, Buffer.from(body), Math.floor((timeout * SLOW_PART) / PIECES))
  } else {
    request.end(body)
  }
}

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
