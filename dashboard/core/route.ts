import { computed, signal } from '@preact/signals'
import { type Route, SHARED, readAddress, writeAddress } from './address.ts'

interface Shared {
  readonly world: string | undefined
  readonly key: string
}

let brought: Shared | undefined
/** Counts shared links opened in this window. */
export const arrivals = signal(0)

/** Returns the key of a shared link, once. */
export function takeShared(): Shared | undefined {
  const taken = brought
  brought = undefined
  return taken
}

export const route = signal(here())
addEventListener('hashchange', () => (route.value = here()))

/** Reads the address and removes a shared key from it. */
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
