/** Where this window is. */
import { computed, signal } from '@preact/signals'
import { readAddress, type Route, writeAddress } from './address.ts'
import { SHARED } from './share.ts'

interface Shared {
  readonly world: string | undefined
  readonly key: string
}

let brought: Shared | undefined
/** Counts the shared links that were opened here. */
export const arrivals = signal(0)

/** The key that a shared link brought, once. */
export function takeShared(): Shared | undefined {
  const taken = brought
  brought = undefined
  return taken
}

export const route = signal(here())
addEventListener('hashchange', () => (route.value = here()))

/** Where the address says; a key that it brought is taken out of it at once. */
function here(): Route {
  const found = readAddress(location.hash)
  const { [SHARED]: key, ...query } = found.query
  if (key === undefined) return found
  const clean = { ...found, query }
  history.replaceState(null, '', writeAddress(clean))
  brought = { world: clean.world, key }
  arrivals.value++
  return clean
}

export const page = computed(() => route.value.page)
export const thing = computed(() => route.value.thing)

/** The address of a page, or of a thing on it, in the world that is shown. */
export const hrefOf = (page: string, thing?: string | number, query?: Route['query']): string =>
  writeAddress({
    world: route.value.world,
    page,
    thing: thing === undefined ? undefined : String(thing),
    query: query ?? {},
  } as Route)

export function go(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  route.value = readAddress(location.hash)
}
