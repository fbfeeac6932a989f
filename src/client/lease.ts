/** A world that several share, taken for a while. */
import { after } from '../lib/clock/after.ts'
import { parseDuration } from '../lib/text/duration.ts'
import { requireKnown } from './filters.ts'
import { SandboxError, type Transport } from './transport.ts'
import type { HeldLease } from '../generated/control/types.ts'
import type { LeaseOptions, WorldLease } from './types.ts'

const KNOWN = ['holder', 'for', 'restore', 'takeOver', 'wait', 'signal']
/** One request waits so long; proxies end those that take longer. Milliseconds. */
const A_WAIT = 20_000
/** Until it is asked again where the world was reset, or the sandbox ended, while it was waited for. Milliseconds. */
const A_PAUSE = 1_000

/** @throws SandboxError 409 where another has it, and had it for as long as was waited */
export async function takeLease({ call, callAs }: Transport, options: LeaseOptions): Promise<WorldLease> {
  requireKnown('lease', options, KNOWN)
  const { holder, for: span = '1m', restore, takeOver: take_over, wait = '0', signal } = options
  const take = (ms: number) => {
    signal?.throwIfAborted()
    return callAs('takeLease', {
      body: { holder, for: span, restore, take_over, wait: String(ms) },
      signal,
    })
  }
  return held(call, await onceFree(take, parseDuration(wait)), span)
}

/** Asks until it is there or the time is over, a piece of the time with each request. @param wait milliseconds */
async function onceFree(take: (ms: number) => Promise<HeldLease>, wait: number): Promise<HeldLease> {
  for (let left = wait; ;) {
    const piece = Math.min(left, A_WAIT)
    left -= piece
    try {
      return await take(piece)
    } catch (error) {
      const status = error instanceof SandboxError ? error.status : 0
      if (left <= 0 || ![409, 503].includes(status)) throw error
      if (status === 503) await new Promise<void>((resolve) => void after(A_PAUSE, resolve))
    }
  }
}

function held(call: Transport['call'], taken: HeldLease, span: string): WorldLease {
  const { holder, since, token, restore } = taken
  const lost = new AbortController()
  const every = (Date.parse(taken.until) - Date.parse(since)) / 3
  let { until } = taken
  let renewing: Promise<void> | undefined
  let stop = () => {}
  const renew = async () => {
    try {
      until = (await call('takeLease', { body: { token, for: span } })).until
    } catch (error) {
      // Whatever else is wrong may be over before the lease is.
      if (error instanceof SandboxError && error.status === 409) return lost.abort(error)
    }
    later()
  }
  const later = () => {
    stop = after(every, () => (renewing = renew()))
  }
  later()
  const release = async () => {
    stop()
    await renewing
    stop()
    if (!lost.signal.aborted) await call('endLease', { query: { token } }).catch(unlessOver)
  }
  return {
    holder,
    since,
    restore,
    get until() {
      return until
    },
    lost: lost.signal,
    release,
    [Symbol.asyncDispose]: release,
  }
}

/** It was lost without a word, or its world is gone: the world is given back, either way. */
function unlessOver(error: unknown): void {
  const over = error instanceof SandboxError && [401, 404, 409].includes(error.status)
  if (!over) throw error
}
