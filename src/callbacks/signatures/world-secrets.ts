/** The signing secrets of a world: on record in the table `state`, a rotation keeps the old one for a while. */
import { boundedTime } from '../../lib/clock/bounds.ts'
import type { Look, Tx } from '../../service/domain/context.ts'
import { signingKeys, type SigningKeys } from './keys.ts'
import type { FirstSecret } from './secrets.ts'

export interface WorldSecret {
  readonly secret: string
  readonly created_at: number
  /** When it stops being used, milliseconds on the world's clock; null for the newest. */
  readonly valid_until: number | null
}

const STATE = 'signing-secrets'

/** Secrets that are good now, newest first. */
export function secretsOf(look: Look, world: string, first: FirstSecret): readonly WorldSecret[] {
  const row = look.rows.get('state', STATE)
  const secrets = (row?.value as readonly WorldSecret[] | undefined) ?? [
    { secret: first(world), created_at: 0, valid_until: null },
  ]
  return secrets.filter(({ valid_until }) => valid_until === null || valid_until > look.now)
}

/**
 * Makes a new secret the newest; the one before stays good for `overlap` milliseconds.
 * @param secret the user's own, already checked; drawn from the newest when left out
 */
export function rotate(
  tx: Tx,
  world: string,
  first: FirstSecret,
  overlap: number,
  secret?: string,
): readonly WorldSecret[] {
  const before = secretsOf(tx, world, first)
  const newest = before[0]!
  const made = secret ?? first(`${world}:${tx.now}:${newest.secret}`)
  if (made === newest.secret) return before
  const after: WorldSecret[] = [{ secret: made, created_at: tx.now, valid_until: null }]
  if (overlap > 0) {
    const valid_until = boundedTime(tx.now + overlap)
    for (const old of before)
      if (old.secret !== made)
        after.push({ ...old, valid_until: Math.min(old.valid_until ?? valid_until, valid_until) })
  }
  tx.rows.put('state', { name: STATE, value: after })
  return after
}

/** Keys by their secrets; a key pair is costly to derive and the same ones sign again and again. */
const made = new Map<string, SigningKeys>()
const MOST_MADE = 1_000

export function keysOf(secrets: readonly WorldSecret[]): SigningKeys {
  const texts = secrets.map(({ secret }) => secret)
  const name = texts.join(' ')
  let keys = made.get(name)
  if (!keys) {
    if (made.size >= MOST_MADE) made.clear()
    made.set(name, (keys = signingKeys(texts)))
  }
  return keys
}
