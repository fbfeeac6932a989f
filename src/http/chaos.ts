import type { Context } from 'hono'
import { ServiceError } from '../service/domain/errors.ts'
import { connectionOf, cuts } from './caller.ts'
import type { AdminSettings } from '../generated/control/types.ts'
import type { Random } from '../lib/random/random.ts'
import type { AnswerFault } from '../service/vocabulary/terms.ts'

type Delay = AdminSettings['delay']
type Failing = AdminSettings['chaos']
type Pause = (ms: number) => Promise<void>

export type Chaos = ReturnType<typeof createChaos>

/** Delays requests of the service and makes some fail at random, drawn from the seed. */
export function createChaos(random: Random, pause: Pause) {
  let requests = 0
  return {
    delay: null as Delay,
    chaos: null as Failing,
    /** @throws {ServiceError} 500 or 503 if the request is chosen to fail */
    async meet(): Promise<void> {
      const n = ++requests
      const wait = this.delay ? duration(this.delay, random, n) : 0
      if (wait > 0) await pause(wait)
      const { chaos } = this
      if (!chaos || random.fraction('chaos', n) >= chaos.probability) return
      const status = chaos.status ?? (random.fraction('chaos-status', n) < 0.5 ? 500 : 503)
      throw new ServiceError(
        status === 500 ? 'internal' : 'unavailable',
        'failed at random, as set with PATCH /__admin/settings',
      )
    },
  }
}

/** Returns milliseconds. */
function duration(delay: NonNullable<Delay>, random: Random, n: number): number {
  if (delay.type === 'fixed') return delay.milliseconds ?? 0
  if (delay.type === 'uniform') {
    const { lower = 0, upper = lower } = delay
    return lower + (upper - lower) * random.fraction('delay', n)
  }
  // The Box-Muller transform turns two uniform draws into one of the normal distribution.
  const normal =
    Math.sqrt(-2 * Math.log(1 - random.fraction('delay', n))) *
    Math.cos(2 * Math.PI * random.fraction('delay-angle', n))
  return Math.min((delay.median ?? 0) * Math.exp((delay.sigma ?? 0) * normal), 60_000)
}

/** Whether the connection is cut before the operation is performed. */
export const cutsBefore = (fault: AnswerFault): boolean =>
  fault === 'connection-reset' || fault === 'empty-response' || fault === 'garbage'

/** Whether the client receives no readable response. */
export const cutsAnswer = (fault: string): boolean => fault !== 'slow-body'

const GARBAGE = Buffer.from('\u0000\u0001garbage: this is no HTTP\r\n\r\n')

/**
 * Breaks the connection. Calls within the process have none: their fetch is rejected instead.
 * @returns a placeholder that the server does not send
 */
export function cut(c: Context, fault: AnswerFault): Response {
  const socket = connectionOf(c).outgoing?.socket
  if (!socket) cuts.set(c.req.raw, cutError(fault))
  else if (fault === 'garbage') socket.end(GARBAGE)
  else if (fault === 'empty-response') socket.end()
  else socket.resetAndDestroy()
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
}

const cutError = (fault: AnswerFault) =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error(`fault: ${fault}`), { code: 'ECONNRESET' }),
  })

const PIECES = 20

/** Streams a text in pieces over `time` milliseconds. */
export function spread(text: string, time: number, pause: Pause): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const size = Math.max(1, Math.ceil(bytes.length / PIECES))
  let sent = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent >= bytes.length) return controller.close()
      await pause(Math.ceil(time / Math.ceil(bytes.length / size)))
      controller.enqueue(bytes.subarray(sent, sent + size))
      sent += size
    },
  })
}
