/** Lists of the control API: the newest pages, kept up to date by events. */
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { WorldEvent } from '../../src/client/types.ts'
import { SandboxError, wordsOf } from './api.ts'
import { atMostEvery } from './frame.ts'
import { merged } from './merged.ts'
import { expired, session } from './session.ts'

export type ListState = 'loading' | 'there' | 'failed' | 'not allowed'

/** Filters that the sandbox applies; undefined for none. */
export type Query = { readonly [name: string]: string | number | undefined }

type Cursor = string | number | null

export interface Resource<Item> {
  /** Reads one page, from the cursor of the previous one. */
  readonly page: (query: Query, cursor: Cursor) => Promise<{ items: readonly Item[]; next: Cursor }>
  /** The list's order: the greatest number comes first. Without one, a change reads the list anew. */
  readonly order?: (item: Item) => number
  /** Events that change the list, which reload its newest page. */
  readonly events: readonly string[]
  /** Returns the item that an event contains, which is inserted at once. */
  readonly itemOf?: (event: WorldEvent) => Item | undefined
  /** Whether `itemOf` makes reloading an unfiltered list unnecessary. */
  readonly isComplete?: (event: WorldEvent) => boolean
}

export interface List<Item> {
  readonly items: ReadonlySignal<readonly Item[]>
  readonly state: ReadonlySignal<ListState>
  readonly error: ReadonlySignal<string>
  /** Whether more items follow. */
  readonly more: ReadonlySignal<boolean>
  readonly filtered: boolean
  /** Loads the first page and keeps the items that follow it. */
  load(): Promise<void>
  /** Loads the next page. */
  older(): Promise<void>
  /** Keeps the list up to date. @returns how to stop */
  use(): () => void
}

interface Live extends List<never> {
  heard(events: readonly WorldEvent[]): void
  forget(): void
}

/** Maximum number of items kept in a list, and of filters kept per resource. */
const MOST = 20_000
const FILTERS = 3
const PAGE = 100
/** Milliseconds between two reloads. */
const REST = 500

const lists = new Map<Resource<never>, Map<string, Live>>()
const all = () => [...lists.values()].flatMap((some) => [...some.values()])

/** A list of the control API whose pages have cursors. @param rows - the property of the response with the items */
export const resource = <Item, Raw = Item>({
  path,
  rows,
  view = (raw) => raw as unknown as Item,
  ...rest
}: Omit<Resource<Item>, 'page'> & {
  readonly path: string
  readonly rows: string
  readonly view?: (raw: Raw) => Item
}): Resource<Item> => ({
  ...rest,
  async page(query, cursor) {
    const asked = { limit: PAGE, ...query, ...(cursor !== null && { before: cursor, after: undefined }) }
    const found = await session.peek()!.transport.ask<Record<string, unknown>>('GET', path, { query: asked })
    return {
      items: (found[rows] as readonly Raw[]).map(view),
      next: (found['next_before'] ?? null) as Cursor,
    }
  },
})

/** A list that one request reads as a whole. */
export const wholeResource = <Item>(
  read: (query: Query) => Promise<readonly Item[]>,
  events: readonly string[],
): Resource<Item> => ({ events, page: async (query) => ({ items: await read(query), next: null }) })

export function listOf<Item>(of: Resource<Item>, query: Query = {}): List<Item> {
  const set = Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== ''),
  )
  const name = JSON.stringify(set)
  const known = lists.get(of as never) ?? new Map<string, Live>()
  lists.set(of as never, known)
  const list = known.get(name) ?? (makeList(of, set) as unknown as Live)
  known.delete(name)
  known.set(name, list)
  for (const [old, { filtered }] of known)
    if (known.size > FILTERS && filtered && old !== name) known.delete(old)
  return list as unknown as List<Item>
}

export function useList<Item>(of: Resource<Item>, query: Query = {}): List<Item> {
  const list = listOf(of, query)
  useEffect(() => list.use(), [list])
  return list
}

export const tellLists = (events: readonly WorldEvent[]): void => {
  for (const list of all()) list.heard(events)
  for (const hear of watchers) hear(events)
}

/** Discards the items of all lists, and reloads those that are shown. */
export const forgetLists = (): void => {
  for (const list of all()) list.forget()
  for (const hear of watchers) hear([{ type: 'reset' } as WorldEvent])
}

function makeList<Item>(of: Resource<Item>, query: Query): List<Item> & Omit<Live, keyof List<never>> {
  const { order } = of
  const items = signal<readonly Item[]>([])
  const state = signal<ListState>('loading')
  const error = signal('')
  const next = signal<Cursor>(null)
  const filtered = Object.keys(query).length > 0
  let reading = false
  let life = 0
  let users = 0
  let stale = true

  const read = async (cursor: Cursor) => {
    const mine = life
    if (cursor === null) stale = false
    try {
      const found = await of.page(query, cursor)
      if (mine !== life) return
      const last = found.items.at(-1)
      // The first page replaces what it covers, so that items that no longer fit disappear.
      const rest = items
        .peek()
        .filter(
          (item) => cursor !== null || (order && last && found.next !== null && order(item) < order(last)),
        )
      items.value = order
        ? merged(rest, found.items, order).slice(0, MOST)
        : [...(cursor === null ? [] : rest), ...found.items]
      if (cursor !== null || rest.length === 0) next.value = found.next
      state.value = 'there'
    } catch (failure) {
      if (mine !== life) return
      const status = failure instanceof SandboxError ? failure.status : 0
      if (status === 401) return expired()
      error.value = wordsOf(failure)
      state.value = status === 403 ? 'not allowed' : 'failed'
    }
  }
  const load = () => read(null)
  const reload = atMostEvery(REST, async () => (users > 0 ? load() : void (stale = true)))
  return {
    items,
    state,
    error,
    filtered,
    more: computed(() => next.value !== null && items.value.length < MOST),
    load,
    async older() {
      if (reading || next.peek() === null) return
      reading = true
      await read(next.peek())
      reading = false
    },
    use() {
      users++
      if (stale) void load()
      return () => void users--
    },
    heard(events) {
      const news = events.filter(({ type }) => of.events.includes(type))
      if (news.length === 0) return
      const told = news.flatMap((event) => of.itemOf?.(event) ?? [])
      if (order && told.length > 0) {
        const places = filtered && new Set(items.peek().map(order))
        const fit = places ? told.filter((item) => places.has(order(item))) : told
        if (fit.length > 0) items.value = merged(items.peek(), fit, order).slice(0, MOST)
      }
      if (filtered || !news.every((event) => of.isComplete?.(event) ?? false)) {
        if (users > 0) reload()
        else stale = true
      }
    },
    forget() {
      life++
      items.value = []
      next.value = null
      state.value = 'loading'
      stale = true
      if (users > 0) void load()
    },
  }
}

export interface Value<T> {
  readonly value: T | undefined
  readonly error: string
  readonly loading: boolean
  readonly again: () => void
}

const watchers = new Set<(events: readonly WorldEvent[]) => void>()

/**
 * Loads a value, and loads it again after events that may have changed it. The previous value stays in the
 * meantime, unless `on` changed.
 * @param on - dependencies
 * @param events - types of events, or a test; a reset always counts
 */
export function useValue<T>(
  read: () => Promise<T>,
  on: readonly unknown[],
  events: readonly string[] | ((event: WorldEvent) => boolean) = [],
): Value<T> {
  const about = JSON.stringify(on)
  const [state, setState] = useState<{ about: string; value?: T; error: string }>({ about, error: '' })
  const [count, setCount] = useState(0)
  useEffect(() => {
    let current = true
    const own = session.peek()
    const load = async () => {
      // A request of the previous session would create a deleted world again.
      if (!current || session.peek() !== own) return
      try {
        const value = await read()
        if (current) setState({ about, value, error: '' })
      } catch (failure) {
        if (!current) return
        if (failure instanceof SandboxError && failure.status === 401) return expired()
        setState((before) => ({ ...(before.about === about && before), about, error: wordsOf(failure) }))
      }
    }
    const reload = atMostEvery(REST / 2, load, 0)
    const touches = typeof events === 'function' ? events : ({ type }: WorldEvent) => events.includes(type)
    const hear = (news: readonly WorldEvent[]) => {
      if (news.some((event) => event.type === 'reset' || touches(event))) reload()
    }
    watchers.add(hear)
    void load()
    return () => {
      current = false
      watchers.delete(hear)
    }
  }, [about, count])
  const { value, error } = state.about === about ? state : { value: undefined, error: '' }
  return { value, error, loading: value === undefined && error === '', again: () => setCount(count + 1) }
}
