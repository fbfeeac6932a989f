import type { RowChange, WorldRows } from './store.ts'

/** When API keys were revoked, on the world's clock, by username. */
export type Revoked = ReadonlyMap<string, number>

export function revokedIn(written: readonly RowChange[]): Revoked {
  const revoked = new Map<string, number>()
  for (const { table, row } of written) {
    if (table !== 'apiKeys' || !row) continue
    const { username, revoked_at } = row as NonNullable<WorldRows['apiKeys']>[number]
    if (revoked_at !== null) revoked.set(username, revoked_at)
  }
  return revoked
}

/** Returns the keys of these rows that are not yet revoked but should be, with their `revoked_at`. */
export const stillValid = (
  { apiKeys = [] }: WorldRows,
  revoked: Revoked,
): NonNullable<WorldRows['apiKeys']> =>
  apiKeys.flatMap((key) => {
    const revoked_at = revoked.get(key.username)
    return key.revoked_at === null && revoked_at !== undefined ? [{ ...key, revoked_at }] : []
  })

export function withRevoked(rows: WorldRows, revoked: Revoked): WorldRows {
  const changed = new Map(stillValid(rows, revoked).map((key) => [key.username, key]))
  if (changed.size === 0) return rows
  return { ...rows, apiKeys: rows.apiKeys!.map((key) => changed.get(key.username) ?? key) }
}

/** Maximum number of revoked keys remembered per world; the oldest is dropped first. */
const MOST_REMEMBERED = 10_000

/** The keys revoked in each world, each with the version of the world that revoked it. */
export class RevokedKeys {
  readonly #worlds = new Map<string, Map<string, { readonly at: number; readonly version: number }>>()

  note(world: string, written: readonly RowChange[], version: number): void {
    for (const [username, at] of revokedIn(written)) {
      const known = this.#worlds.get(world) ?? new Map<string, { at: number; version: number }>()
      this.#worlds.set(world, known)
      known.delete(username)
      known.set(username, { at, version })
      if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!)
    }
  }

  since(world: string, version: number): Revoked {
    const known = [...(this.#worlds.get(world) ?? [])].filter(([, revoked]) => revoked.version > version)
    return new Map(known.map(([username, { at }]) => [username, at]))
  }

  drop(world: string): void {
    this.#worlds.delete(world)
  }
}
