import { repeat } from '../../../lib/clock/repeat.ts'
import type { Database } from './database.ts'
import { statement } from './statements.ts'
import type { PostgresStore } from './store.ts'

/** How often it is looked what other processes did, milliseconds. Whoever reads or changes a world looks by himself. */
export const FED_EVERY = 200
/** What was done a while ago is looked for again: who was slow to commit it may only have done so now. */
const touched = statement(
  'touched',
  `select name, life, version from worlds where touched > statement_timestamp() - interval '3 seconds'`,
)

export interface FeedOptions {
  readonly database: Database
  readonly store: PostgresStore
  /** What else is looked for as often. */
  readonly also: readonly (() => Promise<void>)[]
  readonly onError: (error: unknown) => void
}

/** Follows what other processes do, for those who wait for it here: schedulers, streams. Returns how to stop. */
export function startFeed({ database, store, also, onError }: FeedOptions): () => Promise<void> {
  let looking: Promise<void> | undefined
  const look = async () => {
    const rows = await database.query<{ name: string; life: string; version: number }>(touched, [])
    // Worlds that this process does not have are no work of it.
    const behind = rows.filter(({ name, life, version }) => {
      const place = store.placeOf(name)
      return place && (place.life !== life || place.version < version)
    })
    await Promise.all(behind.map(({ name }) => store.follow(name)))
    for (const each of also) await each()
  }
  const stop = repeat(FED_EVERY, () => {
    // Without a database it is tried again until there is one, which says so.
    looking ??= look()
      .catch((error: unknown) => store.unavailable || onError(error))
      .then(() => (looking = undefined))
  })
  return async () => {
    stop()
    await looking
  }
}
