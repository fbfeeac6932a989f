/** Draws that decide which payments an incident applies to. */
import type { Random } from '../lib/random/random.ts'

/** Draws a number in [0, 1) for a payment: the same for the same phone and amount. */
export const drawFor = (random: Random, stream: string, key: string): number => {
  let hash = 0x811c9dc5
  for (let n = 0; n < key.length; n++) hash = Math.imul(hash ^ key.charCodeAt(n), 0x01000193)
  return random.fraction(stream, hash >>> 0)
}

/** Returns the key of a payment for draws. @param party - digits with the dial code, or an account */
export const paymentKey = (party: unknown, amount: unknown): string => `${String(party)} ${Number(amount)}`

/** Returns the scenario that `mix` selects for a payment, or undefined for none. */
export function mixedScenario(
  mix: { readonly [scenario: string]: number },
  random: Random,
  key: string,
): string | undefined {
  let left = drawFor(random, 'mix', key)
  return Object.entries(mix).find(([, share]) => (left -= share) < 0)?.[0]
}
