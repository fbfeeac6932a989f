/** A virtualised table. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { go } from '../core/route.ts'
import { listKeys } from '../core/keys.ts'

export interface Column<Item> {
  readonly title: string
  /** A width such as `7rem`; by default the remaining space. */
  readonly width?: string
  readonly cell: (item: Item) => ComponentChildren
  /** Hidden on narrow screens. */
  readonly wide?: boolean
  readonly right?: boolean
}

interface Props<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string | number
  /** The target of a row; the first column contains the link. */
  readonly href: (item: Item) => string | undefined
  readonly chosen?: string | number | undefined
  /** Called when the last row is near. */
  readonly older?: (() => void) | undefined
}

/** Rows rendered above and below the visible ones. */
const BESIDE = 12
/** Maximum number of rows rendered. */
const MOST = 180

const rowHeight = () => (matchMedia('(max-width: 48rem)').matches ? 56 : 40)

export function Rows<Item>({ label, items, columns, keyOf, href, chosen, older }: Props<Item>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [height, setHeight] = useState(rowHeight)
  const [[from, to], setSeen] = useState<readonly [number, number]>([0, 40])
  const first = useRef<{ key: string | number; scroller: Element } | undefined>(undefined)

  useEffect(() => {
    const scroller = body.current!.closest('main')!
    const look = () => {
      setHeight(rowHeight())
      const top = scroller.getBoundingClientRect().top - body.current!.getBoundingClientRect().top
      const start = Math.max(0, Math.floor(top / rowHeight()) - BESIDE)
      const many = Math.min(MOST, Math.ceil(scroller.clientHeight / rowHeight()) + 2 * BESIDE)
      setSeen(([a, b]) => (a === start && b === start + many ? [a, b] : [start, start + many]))
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
    const above =
      first.current === undefined ? 0 : items.findIndex((item) => keyOf(item) === first.current!.key)
    const hidden = scroller.getBoundingClientRect().top - body.current!.getBoundingClientRect().top
    if (above > 0 && hidden > height) {
      scroller.scrollTop += above * height
      // Updates before paint, since the visible area would be empty for a frame.
      setSeen(([a, b]) => [a + above, b + above])
    }
    first.current = items[0] === undefined ? undefined : { key: keyOf(items[0]), scroller }
  }, [items])

  useEffect(() => {
    if (older && to >= items.length - BESIDE) older()
  }, [to, items.length])

  useEffect(() => {
    const move = (by: number) => {
      const table = body.current!
      const active = document.activeElement?.closest('tr')?.dataset['key']
      const at = items.findIndex((item) => String(keyOf(item)) === (active ?? String(chosen)))
      const next = Math.min(items.length - 1, Math.max(0, at + by))
      if (items[next] === undefined) return
      const scroller = table.closest('main')!
      const top = table.getBoundingClientRect().top - scroller.getBoundingClientRect().top + next * height
      if (top < 2 * height) scroller.scrollTop += top - 2 * height
      else if (top > scroller.clientHeight - 2 * height)
        scroller.scrollTop += top - scroller.clientHeight + 2 * height
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          table
            .querySelector<HTMLElement>(`tr[data-key="${CSS.escape(String(keyOf(items[next]!)))}"] a`)
            ?.focus(),
        ),
      )
    }
    listKeys.move = move
    return () => {
      if (listKeys.move === move) listKeys.move = undefined
    }
  })

  const shown = items.slice(from, to)
  const before = Math.min(from, items.length) * height
  const after = Math.max(0, items.length - to) * height
  return (
    <table class="rows" aria-label={label} aria-rowcount={items.length + 1}>
      <colgroup>
        {columns.map(({ title, width, wide }) => (
          <col key={title} class={wide ? 'wide' : ''} style={width ? { width } : {}} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map(({ title, wide, right }) => (
            <th key={title} scope="col" class={`${wide ? 'wide' : ''} ${right ? 'right' : ''}`}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {before > 0 && <Gap key="before" height={before} />}
        {shown.map((item, n) => {
          const key = keyOf(item)
          const to = href(item)
          return (
            <tr
              key={key}
              data-key={key}
              aria-rowindex={from + n + 2}
              aria-current={String(key) === String(chosen) ? 'true' : undefined}
              onClick={(event) => {
                const { target } = event
                if (!to || (target instanceof Element && target.closest('a, button'))) return
                if (getSelection()?.toString() === '') go(to)
              }}
            >
              {columns.map(({ title, cell, wide, right }) => (
                <td key={title} class={`${wide ? 'wide' : ''} ${right ? 'right' : ''}`}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          )
        })}
        {after > 0 && <Gap key="after" height={after} />}
      </tbody>
    </table>
  )
}

/** Placeholder for rows outside the view. It spans no columns, so that hidden columns stay hidden. */
const Gap = ({ height }: { height: number }) => (
  <tr class="gap" aria-hidden="true">
    <td style={{ height: `${height}px` }} />
  </tr>
)
