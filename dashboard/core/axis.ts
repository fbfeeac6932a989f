/** Positions on an axis that starts now and becomes coarser, so that seconds and weeks fit. */

export interface Tick {
  readonly words: string
  /** From 0 (now) to 100. */
  readonly at: number
}

export interface Due<Item> {
  readonly at: number
  readonly items: readonly Item[]
}

const steps = [
  ['now', 0],
  ['10 s', 10],
  ['1 min', 60],
  ['10 min', 600],
  ['1 h', 3_600],
  ['6 h', 21_600],
  ['1 d', 86_400],
  ['7 d', 604_800],
  ['30 d', 2_592_000],
  ['1 y', 31_536_000],
] as const

/** Marks closer than this are merged. */
const TOGETHER = 3

/** @param left - milliseconds until the item is due; negative if overdue */
export function axisOf<Item>(items: readonly Item[], left: (item: Item) => number) {
  const longest = Math.max(10, ...items.map((item) => left(item) / 1_000))
  const end = steps.find(([, seconds]) => seconds >= longest)?.[1] ?? longest
  const place = (seconds: number) => (100 * Math.log1p(Math.max(0, seconds))) / Math.log1p(end)
  const ticks = steps
    .filter(([, seconds]) => seconds <= end)
    .map(([words, seconds]): Tick => ({ words, at: place(seconds) }))
  const dues: { at: number; items: Item[] }[] = []
  for (const item of items.toSorted((one, other) => left(one) - left(other))) {
    const at = place(left(item) / 1_000)
    const last = dues.at(-1)
    if (last && at - last.at < TOGETHER) last.items.push(item)
    else dues.push({ at, items: [item] })
  }
  return { ticks, dues: dues as readonly Due<Item>[] }
}
