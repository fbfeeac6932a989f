import { mistake, type Mistake } from './diagnosis.ts'

/** Seconds a verifier allows between its clock and the timestamp. */
const TOLERANCE = 300

export interface ReadTimestamp {
  /** Whole seconds; null when it cannot be read. */
  readonly seconds: number | null
  readonly mistakes: readonly Mistake[]
}

/**
 * A timestamp as it was sent, and what is wrong with it.
 * @param checks which way the profile's verifiers look
 */
export function readTimestamp(text: string, nowSeconds: number, checks: 'both' | 'past'): ReadTimestamp {
  if (/^\d{12,}$/.test(text)) {
    const seconds = Math.floor(Number(text) / 1000)
    const found = mistake(
      'milliseconds',
      `the timestamp ${text} is in milliseconds: send whole seconds, ${seconds}`,
    )
    return { seconds, mistakes: [found] }
  }
  if (/^\d+$/.test(text)) return { seconds: Number(text), mistakes: age(Number(text), nowSeconds, checks) }
  const parsed = Date.parse(text)
  const seconds = Number.isNaN(parsed) ? null : Math.floor(parsed / 1000)
  const example = seconds ?? nowSeconds
  return {
    seconds,
    mistakes: [
      mistake('timestamp-format', `the timestamp "${text}" is not whole seconds since 1970: ${example}`),
    ],
  }
}

function age(seconds: number, nowSeconds: number, checks: 'both' | 'past'): Mistake[] {
  const old = nowSeconds - seconds
  if (old > TOLERANCE) {
    return [
      mistake(
        'stale',
        `the timestamp is ${old} seconds old, ${TOLERANCE} are allowed: set the clock, sign each attempt anew, or say when an old callback arrived`,
      ),
    ]
  }
  if (checks === 'both' && -old > TOLERANCE) {
    return [
      mistake('future', `the timestamp is ${-old} seconds ahead, ${TOLERANCE} are allowed: set the clock`),
    ]
  }
  return []
}
