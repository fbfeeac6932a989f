import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { counted } from '../core/format.ts'
import { curlUser } from '../core/here.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { settings } from '../core/settings.ts'
import { isRefused, requests, show, type RequestRow } from '../core/store.ts'
import { Block, Button, Code, Time } from '../parts/bits.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'
import { RequestDetail } from './request-detail.tsx'

const statuses = { taken: 'Taken', refused: 'Refused', broken: '5xx' }

const shown = computed(() => {
  const { status: wanted, text = '' } = route.value.query
  const word = text.toLowerCase()
  return requests.items.value.filter(
    (row) =>
      fits(row, wanted) &&
      (word === '' ||
        `${row.id} ${row.path} ${row.operation ?? ''} ${row.error}`.toLowerCase().includes(word)),
  )
})

function fits(row: RequestRow, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  if (wanted === 'broken') return (row.status ?? 0) >= 500
  return isRefused(row) === (wanted === 'refused')
}

const hrefTo = ({ id }: RequestRow) => hrefOf('requests', id, route.value.query)

const columns: readonly Column<RequestRow>[] = [
  { title: 'Time', width: 'var(--time)', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Request',
    width: '38%',
    cell: (row) => (
      <span class="stack">
        <span class="one-line">
          <a class="mono" href={hrefTo(row)}>
            {row.method} <bdi>{row.path}</bdi>
          </a>
        </span>
        <span class="below one-line">
          <bdi>{row.error || row.operation || row.id}</bdi>
        </span>
      </span>
    ),
  },
  {
    title: 'What it was',
    wide: true,
    cell: ({ error, operation }) => <bdi class={error ? '' : 'soft'}>{error || operation}</bdi>,
  },
  {
    title: 'Took',
    wide: true,
    width: '5rem',
    right: true,
    cell: ({ duration_ms }) => <span class="num soft">{duration_ms} ms</span>,
  },
  { title: 'Status', width: '5rem', right: true, cell: ({ status }) => <Code status={status} /> },
]

export function Requests() {
  useEffect(() => show('requests'), [])
  const { query } = route.value
  return (
    <Split
      title="Requests"
      detail={<RequestDetail id={thing.value ?? ''} />}
      list={
        <>
          <header class="head">
            <h1>Requests</h1>
            <div class="actions">
              <input
                type="search"
                aria-label="Filter by path, operation or error"
                placeholder="Path, operation, error"
                value={query['text'] ?? ''}
                onInput={({ currentTarget: { value } }) => {
                  const { text: _before, ...others } = query
                  go(hrefOf('requests', thing.value, value ? { ...others, text: value } : others), {
                    replace: true,
                  })
                }}
              />
            </div>
          </header>
          <section class="card" aria-label="Requests">
            <header class="bar">
              <FilterChips label="Statuses" name="status" values={statuses} />
            </header>
            <List />
          </section>
        </>
      }
    />
  )
}

function List() {
  const { items, state, error, more } = requests
  if (state.value !== 'there' && items.value.length === 0)
    return <NotThere state={state.value} error={error.value} retry={() => void requests.load()} />
  if (items.value.length === 0)
    return (
      <Empty icon="requests" title="No request yet">
        <p>Point your program's base URL here, with the key of this world:</p>
        <Block label="Base URL" text={settings.origin} />
        <Block
          label="A first request"
          text={`curl -u ${curlUser()} ${settings.origin}/api/v2/payment_channels`}
        />
      </Empty>
    )
  if (shown.value.length === 0)
    return (
      <Empty icon="search" title="No request fits">
        <Button needs="read" onClick={() => go(hrefOf('requests'))}>
          Show all {counted(items.value.length, 'request')}
        </Button>
      </Empty>
    )
  return (
    <Rows
      label="Requests, newest first"
      items={shown.value}
      columns={columns}
      keyOf={({ id }) => id}
      href={hrefTo}
      chosen={thing.value}
      older={more.value ? () => void requests.older() : undefined}
    />
  )
}
