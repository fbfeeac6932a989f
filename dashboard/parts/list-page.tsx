/** A page with one list: search, filters, the table, its empty states, and the open item. */
import { counted } from '../core/format.ts'
import { useCalm } from '../core/hooks.ts'
import type { List } from '../core/resource.ts'
import { go, hrefOf, page, route, thing } from '../core/route.ts'
import { keptInWindow } from '../core/settings.ts'
import { Button, Options, Sought } from './bits.tsx'
import { Icon } from './icon.tsx'
import { Empty, NotThere } from './list-states.tsx'
import { Table, type TableProps } from './table.tsx'
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

export interface Filter {
  readonly label: string
  /** The query parameter. */
  readonly name: string
  readonly values: { readonly [value: string]: string }
  /** Many values are a menu whose first entry has this text. */
  readonly all?: string
}

export interface ListPageProps<Item> extends Omit<TableProps<Item>, 'items' | 'older' | 'keyOf' | 'label'> {
  readonly title: string
  /** The word for one item and for several. */
  readonly noun: string
  readonly nouns?: string
  readonly list: List<Item>
  /** Describes the order in the table's label. */
  readonly order?: string
  readonly keyOf?: (item: Item) => string | number
  readonly filters?: readonly Filter[]
  /** The search of the address's `text`. */
  readonly search?: { readonly label: string; readonly placeholder: string }
  /** The number of all items, if it is known. */
  readonly total?: number | undefined
  readonly actions?: ComponentChildren
  /** Shown between the head and the list. */
  readonly above?: ComponentChildren
  /** Shown next to the filters. */
  readonly tools?: ComponentChildren
  /** Shown when there is nothing at all. */
  readonly empty: ComponentChildren
  /** The open item. Without it the list never splits. */
  readonly detail?: ComponentChildren
}

/** The text of the page's search, for the sandbox. */
export const useSearch = (name = 'text'): string | undefined =>
  useCalm(route.value.query[name], 250) || undefined

export function setQuery(name: string, value: string): void {
  const { [name]: _before, ...others } = route.peek().query
  go(hrefOf(page.peek(), thing.peek(), value ? { ...others, [name]: value } : others), { replace: true })
}

export function ListPage<Item>(props: ListPageProps<Item>) {
  const { title, actions, above, search, detail } = props
  const list = (
    <>
      <header class="head">
        <h1>{title}</h1>
        <div class="actions">
          {search && (
            <input
              type="search"
              aria-label={search.label}
              placeholder={search.placeholder}
              maxLength={255}
              value={route.value.query['text'] ?? ''}
              onInput={({ currentTarget: { value } }) => setQuery('text', value)}
            />
          )}
          {actions}
        </div>
      </header>
      {above}
      <ListCard {...props} />
    </>
  )
  if (detail === undefined) return list
  const text = search ? (route.value.query['text'] ?? '') : ''
  return <Split title={title} list={list} detail={<Sought.Provider value={text}>{detail}</Sought.Provider>} />
}

export function ListCard<Item>({
  title,
  noun,
  nouns = `${noun}s`,
  list,
  order = 'newest first',
  keyOf = (item) => (item as { readonly id: string | number }).id,
  filters = [],
  total,
  tools,
  empty,
  ...table
}: ListPageProps<Item>) {
  const { items, state, error, more } = list
  const { query } = route.value
  // A page of the sandbox may contain few items, since it does not search everything at once.
  useEffect(() => {
    if (more.value && items.value.length < 30) void list.older()
  }, [list, items.value.length, more.value])
  const isFiltered = ['text', ...filters.map(({ name }) => name)].some((name) => query[name] !== undefined)
  const count = isFiltered || total === undefined ? items.value.length : Math.max(total, items.value.length)
  return (
    <section class="card list" aria-label={title}>
      {(filters.length > 0 || tools || items.value.length > 0) && (
        <header class="bar">
          {filters.map((filter) => (
            <FilterField key={filter.name} {...filter} />
          ))}
          {tools}
          {items.value.length > 0 && (
            <span class="count soft num">
              {more.value && (isFiltered || total === undefined)
                ? `${count.toLocaleString('en')}+ ${nouns}`
                : counted(count, noun, nouns)}
            </span>
          )}
        </header>
      )}
      {items.value.length > 0 ? (
        <Sought.Provider value={query['text'] ?? ''}>
          <Table
            {...table}
            label={`${title}, ${order}`}
            items={items.value}
            keyOf={keyOf}
            older={more.value ? () => void list.older() : undefined}
          />
        </Sought.Provider>
      ) : state.value !== 'there' ? (
        <NotThere state={state.value} error={error.value} retry={() => void list.load()} />
      ) : more.value ? (
        <NotThere state="loading" error="" retry={() => {}} />
      ) : isFiltered ? (
        <Empty icon="search" title={`No ${nouns} match`}>
          <Button needs="read" onClick={() => go(hrefOf(page.value))}>
            Show all {nouns}
          </Button>
        </Empty>
      ) : (
        empty
      )}
    </section>
  )
}

/** One filter of a list, stored in the address. */
export function FilterField({ label, name, values, all }: Filter) {
  const { [name]: chosen, ...others } = route.value.query
  if (all !== undefined)
    return (
      <select
        class="filter"
        aria-label={label}
        value={chosen ?? ''}
        onChange={({ currentTarget: { value } }) => setQuery(name, value)}
      >
        <Options of={Object.entries(values)} none={all} />
      </select>
    )
  return (
    <nav class="chips" aria-label={label}>
      {Object.entries({ '': 'All', ...values }).map(([value, title]) => (
        <a
          key={value}
          class="chip"
          href={hrefOf(page.value, undefined, value === '' ? others : { ...others, [name]: value })}
          aria-current={(chosen ?? '') === value ? 'true' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}

interface Props {
  /** Label of the link back to the list. */
  readonly title: string
  readonly list: ComponentChildren
  /** The open item; without one the list takes all the space. */
  readonly detail: ComponentChildren
  /** Whether an item is open; by default determined by the address. */
  readonly open?: boolean
  /** Target of the link back; by default the page. */
  readonly back?: string
}

/** Share of the space that the open item takes, in percent. */
const kept = keptInWindow('split', 50)
const share = signal(kept.get())
const [LEAST, MOST] = [30, 70]

function resize(percent: number): void {
  share.value = Math.round(Math.min(MOST, Math.max(LEAST, percent)))
  kept.set(share.value)
}

/** A list and its open item, side by side or one at a time. */
export const Split = ({
  title,
  list,
  detail,
  open = thing.value !== undefined,
  back = hrefOf(route.value.page, undefined, route.value.query),
}: Props) => (
  <div
    class={`split ${open ? 'open' : ''}`}
    style={open ? { '--share': `${share.value}fr`, '--rest': `${100 - share.value}fr` } : {}}
  >
    <div class="of-list">{list}</div>
    {open && <Separator />}
    {open && (
      <aside class="of-thing" aria-label="Open item">
        <h1 class="way-back">
          <a href={back}>
            <Icon name="left" />
            {title}
          </a>
        </h1>
        {detail}
      </aside>
    )}
  </div>
)

/** Moved by the mouse, or by the arrow keys. */
const Separator = () => (
  <div
    class="separator"
    role="separator"
    tabIndex={0}
    aria-label="Width of the open item"
    aria-orientation="vertical"
    aria-valuemin={LEAST}
    aria-valuemax={MOST}
    aria-valuenow={share.value}
    onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
    onPointerMove={({ currentTarget, pointerId, clientX }) => {
      if (!currentTarget.hasPointerCapture(pointerId)) return
      const { left, width } = currentTarget.parentElement!.getBoundingClientRect()
      resize(100 - ((clientX - left) / width) * 100)
    }}
    onDblClick={() => resize(50)}
    onKeyDown={(event) => {
      const by = { ArrowLeft: 5, ArrowRight: -5 }[event.key]
      if (by === undefined) return
      event.preventDefault()
      resize(share.value + by)
    }}
  />
)
