/** How long a transaction stays queued: a fixed or a random time. */
import { durationForms, formatDuration, parseDuration } from '../../lib/text/duration.ts'
import { shown } from '../../lib/text/shown.ts'
import { suggest } from '../../lib/text/suggest.ts'

/** A random time, milliseconds. */
export type SettleSpread =
  | { readonly kind: 'lognormal'; readonly median: number }
  | { readonly kind: 'uniform'; readonly least: number; readonly most: number }
  /** Depends on the rail and direction of the transaction. */
  | { readonly kind: 'realistic' }

export type SettleAfter = number | SettleSpread

/** Milliseconds. */
export const DEFAULT_SETTLE_AFTER = 2_000

const REALISTIC = 'realistic'
const LOGNORMAL = 'lognormal'

const spreads =
  'or times drawn for each transaction: 8s~lognormal (the median), 2s..10s (all equally likely), or realistic (by rail)'

/** The forms accepted by `parseSettleAfter`. */
export const settleAfterForms = `${durationForms}, at most 100 years; ${spreads}`

/**
 * Parses `2s`, `8s~lognormal`, `2s..10s` or `realistic`.
 * @throws {RangeError} with the error and the accepted forms
 */
export function parseSettleAfter(written: unknown): SettleAfter {
  if (typeof written !== 'string') return parseDuration(written)
  if (written === REALISTIC) return { kind: REALISTIC }
  const [least, most, ...more] = written.split('..')
  if (most !== undefined && more.length === 0) return uniform(written, least!, most)
  const [median, shape] = written.split('~', 2)
  if (shape !== undefined) return lognormal(written, median!, shape)
  try {
    return parseDuration(written)
  } catch (error) {
    const meant = suggest(written, [REALISTIC])
    const advice = meant === undefined ? spreads : `did you mean ${meant}?`
    throw new RangeError(`${(error as Error).message}; ${advice}`, { cause: error })
  }
}

function uniform(written: string, from: string, to: string): SettleSpread {
  const [least, most] = [part(written, from), part(written, to)]
  if (least >= most)
    throw new RangeError(`${shown(written)} must go from the shorter to the longer, such as 2s..10s`)
  return { kind: 'uniform', least, most }
}

function lognormal(written: string, text: string, shape: string): SettleSpread {
  if (shape !== LOGNORMAL || written.split('~').length > 2)
    throw new RangeError(
      `${shown(written)} must end in ~${LOGNORMAL}, the one shape there is, such as 8s~${LOGNORMAL}`,
    )
  const median = part(written, text)
  if (median === 0) throw new RangeError(`${shown(written)} must have a median longer than 0`)
  return { kind: LOGNORMAL, median }
}

function part(written: string, text: string): number {
  try {
    return parseDuration(text)
  } catch (error) {
    throw new RangeError(`${shown(written)} has a part that is no duration: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

export function formatSettleAfter(after: SettleAfter): string {
  if (typeof after === 'number') return formatDuration(after)
  if (after.kind === 'lognormal') return `${formatDuration(after.median)}~${LOGNORMAL}`
  if (after.kind === 'uniform') return `${formatDuration(after.least)}..${formatDuration(after.most)}`
  return REALISTIC
}
