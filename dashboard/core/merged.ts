/** Merges two lists, newest first. New items replace those in the same place. */
export function merged<Item>(
  kept: readonly Item[],
  fresh: readonly Item[],
  order: (item: Item) => number,
): readonly Item[] {
  const byOrder = new Map(fresh.map((item) => [order(item), item]))
  const added = new Map(byOrder)
  const rest = kept.map((item) => {
    const place = order(item)
    const instead = byOrder.get(place)
    if (instead === undefined) return item
    added.delete(place)
    return instead
  })
  const all = [...added.values(), ...rest]
  const sorted = all.every((item, n) => n === 0 || order(all[n - 1]!) > order(item))
  return sorted ? all : all.sort((a, b) => order(b) - order(a))
}
