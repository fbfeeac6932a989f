import type { Context } from 'hono'
import type { World } from '../worlds/world.ts'
import type { Env } from './env.ts'
import { streamed } from './streamed.ts'

/**
 * An answer of JSON with a long list in it, each item made and written when its turn comes.
 * @param around what is answered; the last thing in it, however deep, is the empty list that is to be filled
 * @param view what is written of an item
 */
export function jsonStream<Item>(
  c: Context<Env>,
  around: object,
  items: Iterable<Item>,
  view: (item: Item) => unknown,
  status = 200,
): Response {
  // Below /__admin it is work of no single world.
  const world = (c.get('world') as World | undefined)?.name ?? ''
  const shown = c.get('shown')
  const textOf = (value: unknown) => JSON.stringify(value, shown)
  return streamed(
    world,
    filled(textOf(around), items, (item) => textOf(view(item))),
    status,
  )
}

/** The JSON of what is around a list, with the list's items in it. */
function* filled<Item>(
  around: string,
  items: Iterable<Item>,
  textOf: (item: Item) => string,
): Generator<string> {
  const end = around.lastIndexOf('[]') + 1
  yield around.slice(0, end)
  let separator = ''
  for (const item of items) {
    yield separator + textOf(item)
    separator = ','
  }
  yield around.slice(end)
}
