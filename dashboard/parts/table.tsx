/** The table of every list: columns by priority, date headings, and only the visible rows in the document. */
import { Said } from './bits.tsx'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { dayOf } from '../core/format.ts'
import { listKeys } from '../core/keys.ts'
import { go } from '../core/route.ts'
import { clock } from '../core/world-clock.ts'

export interface Column<Item> {
  readonly title: string
  readonly cell: (item: Item) => ComponentChildren
  /**
   * The main column takes the space that the others leave, and is the only one that is shortened. The time, the
   * amount and the state stay at any width.
   */
  readonly is?: 'main' | 'time' | 'amount' | 'state'
  /** Other columns leave in order of their rank, the highest first. */
  readonly rank?: number
  readonly right?: boolean
}

export interface TableProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string | number
  /** The target of a row; the main column contains the link. */
  readonly href?: (item: Item) => string | undefined
  /** The day under which an item is listed; without it the table has no headings. */
  readonly date?: ((item: Item) => string) | undefined
  readonly chosen?: string | number | undefined
  /** Called when the last row is near. */
  readonly older?: (() => void) | undefined
}

/** Rows rendered above and below the visible ones. */
const BESIDE = 12
/** Maximum number of rows rendered. */
const MOST = 180
/** Heights in pixels, which the style sheet repeats. */
const ROW = 40
const STACKED = 58
const DAY = 32
/** Space in pixels for the main column. */
const MAIN = 190
/** A narrower table is stacked, so that a phone shows all columns. */
const NARROW = 440
/** Space in pixels that is added between two columns at most. */
const WIDEST = 64

type Entry<Item> = { readonly item: Item; readonly n: number } | { readonly day: string }

export function Table<Item>({
  label,
  items,
  columns,
  keyOf,
  href = () => undefined,
  date,
  chosen,
  older,
}: TableProps<Item>) {
  const table = useRef<HTMLTableElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const { shown, stacked, spare } = useFit(table, columns, items.length > 0)
  const row = stacked ? STACKED : ROW
  const [[top, bottom], setView] = useState<readonly [number, number]>([0, 1_200])
  const first = useRef<string | number | undefined>(undefined)

  const today = date && dayName(clock.value?.now)
  const { entries, tops } = useMemo(() => laid(items, date, row), [items, row, today, date !== undefined])
  const height = tops.at(-1)!
  const at = (y: number) => {
    let [low, high] = [0, entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (tops[middle + 1]! <= y) low = middle + 1
      else high = middle
    }
    return low
  }

  useEffect(() => {
    const scroller = body.current!.closest('main')!
    const look = () => {
      if (!body.current!.checkVisibility()) return
      const y = scroller.getBoundingClientRect().top - body.current!.getBoundingClientRect().top
      // Steps of some rows, so that not every scroll event renders.
      const from = Math.floor(y / (4 * ROW)) * 4 * ROW
      const to = from + scroller.clientHeight + 8 * ROW
      setView(([a, b]) => (a === from && b === to ? [a, b] : [from, to]))
    }
    look()
    scroller.addEventListener('scroll', look, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(scroller)
    return () => {
      scroller.removeEventListener('scroll', look)
      observer.disconnect()
    }
  }, [])

  // Keeps the scroll position when rows are added above.
  useLayoutEffect(() => {
    const scroller = body.current!.closest('main')!
    const before = first.current
    const place =
      before === undefined ? -1 : entries.findIndex((each) => 'item' in each && keyOf(each.item) === before)
    const moved = place > 0 ? tops[place]! - (date ? DAY : 0) : 0
    const hidden = scroller.getBoundingClientRect().top - body.current!.getBoundingClientRect().top
    if (moved > 0 && hidden > row) {
      scroller.scrollTop += moved
      // Updates before paint, since the visible area would be empty for a frame.
      setView(([a, b]) => [a + moved, b + moved])
    }
    first.current = items[0] === undefined ? undefined : keyOf(items[0])
  }, [items])

  const from = Math.max(0, at(Math.max(0, top)) - BESIDE)
  const to = Math.min(entries.length, at(bottom) + BESIDE, from + MOST)
  useEffect(() => {
    if (older && to >= entries.length - BESIDE) older()
  }, [to, entries.length, older !== undefined])

  useEffect(() => {
    const move = (by: number) => {
      const active = document.activeElement?.closest('tr')?.dataset['key']
      const now = items.findIndex((item) => String(keyOf(item)) === (active ?? String(chosen)))
      const next = items[Math.min(items.length - 1, Math.max(0, now + by))]
      if (next === undefined) return
      const scroller = body.current!.closest('main')!
      const place = entries.findIndex((each) => 'item' in each && each.item === next)
      const y =
        body.current!.getBoundingClientRect().top - scroller.getBoundingClientRect().top + tops[place]!
      if (y < 2 * row) scroller.scrollTop += y - 2 * row
      else if (y > scroller.clientHeight - 2 * row) scroller.scrollTop += y - scroller.clientHeight + 2 * row
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          body.current
            ?.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(String(keyOf(next)))}"] a`)
            ?.focus(),
        ),
      )
    }
    listKeys.move = move
    return () => {
      if (listKeys.move === move) listKeys.move = undefined
    }
  })

  const cells = stacked ? stackedCells(columns) : shown.map((column) => ({ ...column, kind: kindOf(column) }))
  return (
    <table
      ref={table}
      class={`rows ${stacked ? 'stacked' : ''}`}
      style={{ '--spare': `${spare}px` }}
      aria-label={label}
      aria-rowcount={items.length + 1}
    >
      <thead>
        <tr>
          {cells.map(({ title, kind }) => (
            <th key={title} scope="col" class={kind}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {tops[from]! > 0 && <Gap key="before" height={tops[from]!} />}
        {entries.slice(from, to).map((entry) => {
          if ('day' in entry)
            return (
              <tr key={entry.day} class="day">
                <th scope="colgroup" colSpan={cells.length}>
                  {entry.day}
                </th>
              </tr>
            )
          const key = keyOf(entry.item)
          const target = href(entry.item)
          return (
            <tr
              key={key}
              data-key={key}
              class={target ? 'leads' : ''}
              aria-rowindex={entry.n + 2}
              aria-current={String(key) === String(chosen) ? 'true' : undefined}
              onClick={(event) => {
                const { target: on } = event
                if (!target || (on instanceof Element && on.closest('a, button'))) return
                if (getSelection()?.toString() === '') go(target)
              }}
            >
              {cells.map(({ title, cell, kind }) => (
                <td key={title} class={kind}>
                  {cell(entry.item)}
                </td>
              ))}
            </tr>
          )
        })}
        {height > tops[to]! && <Gap key="after" height={height - tops[to]!} />}
      </tbody>
    </table>
  )
}

/** Placeholder for rows outside the view. */
const Gap = ({ height }: { height: number }) => (
  <tr class="gap" aria-hidden="true">
    <td style={{ height: `${height}px` }} />
  </tr>
)

const kindOf = <Item,>({ is, right }: Column<Item>) =>
  is === 'main' ? 'main' : right || is === 'amount' || is === 'state' ? 'right' : ''

/** The form of a narrow table: the main column over the others, the amount over the state. */
function stackedCells<Item>(columns: readonly Column<Item>[]) {
  const the = (kind: Column<Item>['is']) => columns.find(({ is }) => is === kind)
  const [main, time, amount, state] = [the('main')!, the('time'), the('amount'), the('state')]
  const others = columns.filter(({ is }) => is === undefined).sort((a, b) => (a.rank ?? 9) - (b.rank ?? 9))
  const below = [time, ...others].filter((each) => each !== undefined)
  const right = [amount, state].filter((each) => each !== undefined)
  return [
    {
      title: [main, ...below].map(({ title }) => title).join(', '),
      kind: 'main',
      cell: (item: Item) => (
        <>
          <span class="line-1">{main.cell(item)}</span>
          <span class="line-2">
            {below.map(({ title, cell }) => (
              <span key={title}>{cell(item)}</span>
            ))}
          </span>
        </>
      ),
    },
    ...(right.length === 0
      ? []
      : [
          {
            title: right.map(({ title }) => title).join(', '),
            kind: 'right',
            cell: (item: Item) =>
              right.map(({ title, cell }) => (
                <span key={title} class="line">
                  {cell(item)}
                </span>
              )),
          },
        ]),
  ]
}

/**
 * Chooses the columns that fit. All are measured once shown; a table too narrow for its lasting columns is
 * stacked.
 */
function useFit<Item>(
  table: { readonly current: HTMLTableElement | null },
  columns: readonly Column<Item>[],
  filled: boolean,
) {
  const widths = useRef(new Map<string, number>())
  const [room, setRoom] = useState(Infinity)
  const [, again] = useState(0)
  useLayoutEffect(() => {
    const around = table.current!.parentElement!
    // A hidden table has no width.
    const look = () => around.clientWidth > 0 && setRoom(around.clientWidth)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(around)
    return () => observer.disconnect()
  }, [])
  const widthOf = ({ title, is }: Column<Item>) => (is === 'main' ? MAIN : (widths.current.get(title) ?? 0))
  const lasting = columns.filter(({ is }) => is !== undefined)
  let left = room - lasting.reduce((sum, column) => sum + widthOf(column), 0)
  const stacked = left < 0 || room < NARROW
  const chosen = new Set(lasting)
  for (const column of columns
    .filter(({ is }) => is === undefined)
    .sort((a, b) => (a.rank ?? 9) - (b.rank ?? 9))) {
    left -= widthOf(column)
    if (left < 0) break
    chosen.add(column)
  }
  const shown = columns.filter((column) => chosen.has(column))
  // Wide tables spread their columns, so that the main column does not leave a gap before the next one.
  const spread = (left - 2 * MAIN) / shown.length
  const spare =
    stacked || !Number.isFinite(spread) ? 0 : Math.max(0, Math.min(WIDEST, 8 * Math.floor(spread / 8)))
  // Runs before paint, until the columns that are shown fit.
  useLayoutEffect(() => {
    if (stacked || !filled) return
    let changed = false
    for (const [n, cell] of [...table.current!.tHead!.rows[0]!.cells].entries()) {
      const { title, is } = shown[n]!
      const own = cell.offsetWidth - (n === 0 ? 0 : spare)
      if (is === 'main' || own <= (widths.current.get(title) ?? 0)) continue
      widths.current.set(title, own)
      changed = true
    }
    if (changed) again((count) => count + 1)
  })
  return { shown, stacked, spare }
}

/** The rows and headings in order, and the place of each in pixels with the height of all at the end. */
function laid<Item>(items: readonly Item[], date: ((item: Item) => string) | undefined, row: number) {
  const entries: Entry<Item>[] = []
  const tops = [0]
  let day = ''
  for (const [n, item] of items.entries()) {
    const own = date ? dayName(date(item)) : ''
    if (own !== day) {
      day = own
      entries.push({ day })
      tops.push(tops.at(-1)! + DAY)
    }
    entries.push({ item, n })
    tops.push(tops.at(-1)! + row)
  }
  return { entries, tops }
}

const names = new Map<string, string>()
let named = ''

/** `Today`, `Yesterday`, `Mon 23 Nov`, in the reader's zone by the world's clock. */
function dayName(at: string | undefined): string {
  if (at === undefined) return ''
  const now = new Date(clock.peek()?.now ?? at)
  if (named !== now.toDateString()) {
    named = now.toDateString()
    names.clear()
  }
  // Times of one hour are of one day in every zone but those with half hours, which are asked for by quarters.
  const quarter = `${at.slice(0, 14)}${Math.floor(Number(at.slice(14, 16)) / 15)}`
  const known = names.get(quarter)
  if (known !== undefined) return known
  const date = new Date(at)
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  const name =
    date.toDateString() === named
      ? 'Today'
      : date.toDateString() === yesterday.toDateString()
        ? 'Yesterday'
        : `${date.toLocaleDateString('en-GB', { weekday: 'short' })} ${dayOf(date, now.getTime())}`
  names.set(quarter, name)
  return name
}

/** The main column, whose text leads to the item. */
export const nameColumn = <Item,>(
  title: string,
  href: (item: Item) => string,
  text: (item: Item) => string,
): Column<Item> => ({
  title,
  is: 'main',
  cell: (item) => (
    <a href={href(item)}>
      <Said>{text(item)}</Said>
    </a>
  ),
})
