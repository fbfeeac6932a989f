/** The public register of certifications: a short list of entries that all processes share. */
import type { SharedSettings } from '../storage/engine/shared-state.ts'
import type { World } from './world.ts'

export interface RegisterEntry {
  readonly id: string
  readonly subject: string
  readonly shop_version: string | null
  readonly plan: string
  readonly standing: 'ready' | 'ready_with_waivers'
  readonly key_id: string
  /** Milliseconds. */
  readonly issued_at: number
  readonly expires_at: number
  /** The name of the world, which the register does not show. */
  readonly world: string
}

export type Register = ReturnType<typeof openRegister>

const NAME = 'certifications'

/** Maximum number of entries, in total and of one world. When exceeded, the first to expire is dropped. */
const MOST = 500
const MOST_OF_ONE = 5

const listIn = (value: unknown) => (value ?? []) as readonly RegisterEntry[]

/**
 * Opens the register.
 * @param worlds - The open worlds, whose rows contain their entries. Without a shared database, the register is read from them.
 */
export function openRegister(settings: SharedSettings, worlds: () => readonly World[], isRemote: boolean) {
  let read = isRemote ? undefined : () => readFrom(worlds())
  const current = async () => {
    if (read) {
      const reading = read
      read = undefined
      const entries = await reading()
      await settings.change(NAME, (value) => value ?? entries)
    } else await settings.look()
    return listIn(settings.get(NAME))
  }
  return {
    /** Returns all entries, newest first. */
    list: async (): Promise<readonly RegisterEntry[]> =>
      [...(await current())].sort((a, b) => b.issued_at - a.issued_at),
    /** Adds an entry, which replaces an older one of the same world and plan. */
    async add(entry: RegisterEntry): Promise<void> {
      await current()
      await settings.change(NAME, (value) => {
        const others = listIn(value).filter(({ world, plan }) => world !== entry.world || plan !== entry.plan)
        const own = others.filter(({ world }) => world === entry.world)
        const rest = others.filter(({ world }) => world !== entry.world)
        return [...latest(rest, MOST - MOST_OF_ONE), ...latest(own, MOST_OF_ONE - 1), entry]
      })
    },
    async remove(world: string, id: string): Promise<void> {
      await current()
      await settings.change(NAME, (value) =>
        listIn(value).filter((each) => each.world !== world || each.id !== id),
      )
    },
  }
}

const latest = (entries: readonly RegisterEntry[], most: number) =>
  entries.toSorted((a, b) => b.expires_at - a.expires_at).slice(0, most)

async function readFrom(worlds: readonly World[]): Promise<readonly RegisterEntry[]> {
  const found: RegisterEntry[] = []
  for (const world of worlds)
    for (const { entry, ...row } of await world.read(({ rows }) =>
      rows.below('certifications', { before: Infinity, limit: Infinity }),
    )) {
      const { plan, standing, expires_at, key_id, subject, issued_at, shop_version } = row
      if (entry === null || plan === null || expires_at === null || key_id === null) continue
      if (standing !== 'ready' && standing !== 'ready_with_waivers') continue
      found.push({
        id: entry,
        subject,
        shop_version,
        plan,
        standing,
        key_id,
        issued_at,
        expires_at,
        world: world.name,
      })
    }
  return latest(found, MOST)
}
