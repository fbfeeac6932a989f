/** Where this window is. */
import { computed, signal } from '@preact/signals'
import { readAddress, type Route, writeAddress } from './address.ts'

export const route = signal(readAddress(location.hash))
addEventListener('hashchange', () => (route.value = readAddress(location.hash)))

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
