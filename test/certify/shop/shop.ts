import { setMaxListeners } from 'node:events'
import { type Habits, careful } from './habits.ts'
import { type Clock, clockOf } from './clock.ts'
import { serve } from './pages.ts'
import { type Account, memoryStore, type Order, orderNamed, type Store } from './store.ts'

/** How long the shop waits for what, milliseconds, and how often it tries. */
export interface Patience {
  /** For an answer of the service. */
  readonly response: number
  /** Before the second try; then twice as long each time. */
  readonly pause: number
  readonly tries: number
  /** For the callback, before the service is asked; then longer each time. */
  readonly firstLook: number
  readonly longestPause: number
  readonly looks: number
}

export const PATIENCE: Patience = {
  response: 30_000,
  pause: 1000,
  tries: 5,
  firstLook: 3000,
  longestPause: 60_000,
  looks: 12,
}

export interface ShopOptions {
  /** Where orders are paid that do not say where. */
  readonly account: Account
  /** What callbacks are signed with: while it is rotated, the new secret and the old one. */
  readonly secrets: readonly string[] | (() => readonly string[])
  readonly team?: number
  readonly fetch?: (request: Request) => Promise<Response>
  readonly clock?: Clock
  readonly store?: Store
  readonly patience?: Partial<Patience>
  /** What this shop does otherwise than the careful one. */
  readonly habits?: Partial<Habits>
}

/** What the parts of the shop know of it. */
export interface Shop {
  readonly account: Account
  readonly secrets: () => readonly string[]
  readonly team: number
  readonly fetch: (request: Request) => Promise<Response>
  readonly clock: Clock
  readonly store: Store
  readonly patience: Patience
  readonly habits: Habits
  readonly provider: (account: Account) => Promise<string>
  readonly stopped: AbortSignal
  /** Begins what nobody waits for. */
  readonly start: (work: Promise<unknown>) => void
}

/**
 * A shop that takes payments with care, so that it holds against everything that `certify` does to it. What it needs is handed over; what it
 * remembers is in its store, so that a shop that is started anew with the same store goes on where the last one was.
 */
export function createShop(options: ShopOptions) {
  const stop = new AbortController()
  // Whoever sleeps listens.
  setMaxListeners(0, stop.signal)
  const running = new Set<Promise<unknown>>()
  const habits: Habits = { ...careful, ...options.habits }
  const { secrets } = options
  const providers = new Map<string, Promise<string>>()
  const shop: Shop = {
    account: options.account,
    secrets: typeof secrets === 'function' ? secrets : () => secrets,
    team: options.team ?? 63,
    fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
    clock: options.clock ?? clockOf(),
    store: options.store ?? memoryStore(),
    patience: { ...PATIENCE, ...options.patience },
    habits,
    provider(account) {
      const known: Promise<string> =
        providers.get(account.authorization) ?? habits.findProvider(shop, account)
      providers.set(account.authorization, known)
      return known
    },
    stopped: stop.signal,
    start(work) {
      const quiet = work.catch((error: unknown) => {
        if (!stop.signal.aborted) throw error
      })
      running.add(quiet)
      void quiet.finally(() => running.delete(quiet))
    },
  }
  shop.start(resume(shop))
  return {
    /** Its pages, and its receiver of callbacks. */
    fetch: (request: Request): Promise<Response> => serve(shop, request),
    order: (name: string): Promise<Order | undefined> => shop.store.read((rows) => orderNamed(rows, name)),
    /** Ends it as a machine that is switched off does: what is not in the store is lost. */
    stop: () => stop.abort(new Error('the shop was stopped')),
    /** Fulfilled when it waits for nothing but time. */
    idle: () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve))),
  }
}

/** What the last one left waiting. */
async function resume(shop: Shop): Promise<void> {
  const open = await shop.store.read(({ orders }) =>
    [...orders.values()].filter((order) => !shop.habits.isOver(order)),
  )
  for (const { reference } of open) shop.start(shop.habits.watch(shop, reference))
}
