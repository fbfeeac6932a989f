import type { WorldExport } from '../generated/control/schemas.ts'
import { lineOf } from '../sandbox/transfer/write-item.ts'
import { NoWorld, type WorldItem, type WorldSource, type WorldTarget } from '../sandbox/transfer/items.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { ask, askFor, ClientError, type Target } from './client.ts'

interface Page {
  readonly worlds: readonly { readonly id: string; readonly number: number }[]
  readonly next_before: number | null
}

/** The worlds of a running sandbox that one password opens. */
export const runningSource = (target: Target): WorldSource => ({
  name: target.url,
  worlds: () => worldsOf(target),
  async *itemsOf(world) {
    const within = inWorld(target, world)
    const known = await worldsOf(target)
    // A first request would make it.
    if (!known.includes(world)) throw new NoWorld(`${target.url} has no world ${world}`)
    const { rows, ...about } = await askFor<WorldExport>(within, '/sandbox/export').catch(
      (error: unknown) => {
        throw error instanceof ClientError && error.refused ? new NoWorld(ownKeys(target, world)) : error
      },
    )
    yield { ...about, world, rows: rows as WorldRows } satisfies WorldItem
  },
  close: async () => {},
})

/** The same to write to. A running sandbox takes rows; its keys stay. */
export const runningTarget = (target: Target): WorldTarget => ({
  name: target.url,
  has: async (world) => (await worldsOf(target)).includes(world),
  async putWorld({ world, ...item }) {
    const within = inWorld(target, world)
    const text = [...lineOf(item as WorldItem)].join('')
    const headers = { 'content-type': 'application/json' }
    const answer = await ask(within, '/sandbox/import', { method: 'POST', text, headers }).catch(
      (error: unknown) => {
        throw error instanceof ClientError && error.refused ? new NoWorld(ownKeys(target, world)) : error
      },
    )
    if (answer.ok) return void (await answer.body?.cancel())
    const { error_message } = (await answer.json()) as { readonly error_message?: string }
    throw new Error(`${target.url} answers ${answer.status}: ${error_message ?? 'nothing'}`)
  },
  putSnapshot: async () => false,
  putRequests: async () => false,
  close: async () => {},
})

async function worldsOf(target: Target): Promise<readonly string[]> {
  const names: string[] = []
  for (let before: number | null = Infinity; before !== null;) {
    const query: string = Number.isFinite(before) ? `?before=${before}` : ''
    const page: Page = await askFor<Page>(target, `/sandbox/worlds${query}`)
    names.push(...page.worlds.map(({ id }) => id))
    before = page.next_before
  }
  return names.toSorted()
}

/** The same user in another world: `alice` of the world `demo+ci` is `alice+ci`. */
function inWorld(target: Target, world: string): Target {
  const suffix = world.includes('+') ? world.slice(world.indexOf('+')) : ''
  return { ...target, username: target.username.replace(/\+.*$/, '') + suffix }
}

const ownKeys = ({ url }: Target, world: string) =>
  `${url}: the world ${world} has keys of its own. Say one of them with --user, or export from the database or the stopped sandbox's file`
