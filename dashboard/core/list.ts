/** A list of which the newest pages are loaded. */
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { SandboxError, wordsOf } from './api.ts'
import { merged } from './merged.ts'
import { expired } from './session.ts'

/** The loading state. */
export type ListState = 'loading' | 'there' | 'failed' | 'not allowed'

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | number | null
}

export interface List<Item> {
  /** Newest first. */
  readonly items: ReadonlySignal<readonly Item[]>
  readonly state: ReadonlySignal<ListState>
  readonly error: ReadonlySignal<string>
  /** Whether older items exist. */
  readonly more: ReadonlySignal<boolean>
  /** Loads the newest page and keeps older items. */
  load(): Promise<void>
  /** Loads the next older page. */
  older(): Promise<void>
  /** Inserts items or replaces those with the same key. */
  put(items: readonly Item[]): void
  clear(): void
}

/** Maximum number of items kept. */
const MOST = 20_000

export interface ListOptions<Item> {
  readonly page: (before: string | number | undefined) => Promise<Page<Item>>
  /** A number that rises with the item's age of creation. */
  readonly order: (item: Item) => number
}

export function listOf<Item>({ page, order }: ListOptions<Item>): List<Item> {
  const items = signal<readonly Item[]>([])
  const state = signal<ListState>('loading')
  const error = signal('')
  const next = signal<string | number | null>(null)
  let reading = false
  let life = 0

  const put = (fresh: readonly Item[]) => {
    if (fresh.length > 0) items.value = merged(items.peek(), fresh, order).slice(0, MOST)
  }
  const read = async (before: string | number | undefined) => {
    const mine = life
    try {
      const found = await page(before)
      if (mine !== life) return
      put(found.items)
      if (before !== undefined || state.peek() !== 'there') next.value = found.next
      state.value = 'there'
    } catch (failure) {
      if (mine !== life) return
      const status = failure instanceof SandboxError ? failure.status : 0
      if (status === 401) return expired()
      error.value = wordsOf(failure)
      state.value = status === 403 ? 'not allowed' : 'failed'
    }
  }
  return {
    items,
    state,
    error,
    more: computed(() => next.value !== null && items.value.length < MOST),
    load: () => read(undefined),
    async older() {
      if (reading || next.peek() === null) return
      reading = true
      await read(next.peek()!)
      reading = false
    },
    put,
    clear() {
      life++
      items.value = []
      next.value = null
      state.value = 'loading'
    },
  }
}
