import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RequestList } from '../../src/generated/control/types.ts'
import { act } from '../core/actions.ts'
import { download } from '../core/download.ts'
import { curlUser } from '../core/here.ts'
import { type List, listOf } from '../core/list.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { changes, isRefused, requests, rowOf, show, type RequestRow } from '../core/store.ts'
import { useCalm } from '../core/use-calm.ts'
import { atNeed } from '../parts/at-need.tsx'
import { Block, Button, Code, Time } from '../parts/bits.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'

const RequestDetail = atNeed(async () => (await import('./request-detail.tsx')).RequestDetail)

const statuses = { taken: 'Accepted', refused: 'Rejected', broken: '5xx' }

/** The filters that the sandbox applies; undefined for none. */
const wanted = signal<{ readonly search?: string | undefined; readonly operation?: string | undefined }>({})
const found = listOf<RequestRow>({
  async page(before) {
    const query = { ...wanted.peek(), limit: 100, before }
    const { requests: some, next_before } = await session
      .peek()!
      .transport.ask<RequestList>('GET', '/sandbox/requests', { query })
    return { items: some.map(rowOf), next: next_before }
  },
  order: ({ id }) => Number(id.slice(id.indexOf('_') + 1)),
})

/** Applies the filters of the address and returns the list. */
function useFiltered(): List<RequestRow> {
  const { text, operation } = route.value.query
  const search = useCalm(text, 250)
  const all = !search && !operation
  const news = useCalm(requests.items.value[0]?.id)
  const { world } = session.value!
  useEffect(() => {
    wanted.value = { search: search || undefined, operation }
    found.clear()
  }, [world, search, operation, changes.value['reset']])
  useEffect(() => {
    if (!all) void found.load()
  }, [world, search, operation, news, changes.value['reset']])
  return all ? requests : found
}

function fits(row: RequestRow, status: string | undefined): boolean {
  if (status === undefined) return true
  if (status === 'broken') return (row.status ?? 0) >= 500
  return isRefused(row) === (status === 'refused')
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
  const set = (name: string, value: string) => {
    const { [name]: _before, ...others } = query
    go(hrefOf('requests', thing.value, value ? { ...others, [name]: value } : others), { replace: true })
  }
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
                aria-label="Search in paths, headers, bodies and responses"
                placeholder="Anything in them"
                maxLength={255}
                value={query['text'] ?? ''}
                onInput={({ currentTarget: { value } }) => set('text', value)}
              />
              <Button needs="read" onClick={() => void saveHar()}>
                HAR
              </Button>
            </div>
          </header>
          <section class="card" aria-label="Requests">
            <header class="bar">
              <FilterChips label="Statuses" name="status" values={statuses} />
              <Operations chosen={query['operation']} choose={(operation) => set('operation', operation)} />
            </header>
            <Listed />
          </section>
        </>
      }
    />
  )
}

const saveHar = () =>
  act(async ({ client, world }) => {
    download(`${world}.har`, JSON.stringify(await client.requests.har(), null, 2), 'application/json')
    return 'The requests are saved as HAR.'
  }, 'read')

/** A filter by operation. */
function Operations({
  chosen = '',
  choose,
}: {
  chosen?: string | undefined
  choose: (name: string) => void
}) {
  const called = requests.items.value.flatMap(({ operation }) => (operation ? [operation] : []))
  const all = [...new Set([...called, ...(chosen ? [chosen] : [])])].sort()
  return (
    <span class="actions">
      <select
        aria-label="Operation"
        value={chosen}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        <option value="">every operation</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}

function Listed() {
  const list = useFiltered()
  const { items, state, error, more } = list
  const { status } = route.value.query
  const shown = items.value.filter((row) => fits(row, status))
  // Stop paging after an older page without matches.
  useEffect(() => {
    if (more.value && shown.length < 30) void list.older()
  }, [items.value.length, shown.length, more.value])
  if (state.value !== 'there' && items.value.length === 0)
    return <NotThere state={state.value} error={error.value} retry={() => void list.load()} />
  if (requests.items.value.length === 0 && items.value.length === 0) return <NoRequest />
  if (shown.length === 0)
    return (
      <Empty icon="search" title="No request fits">
        <Button needs="read" onClick={() => go(hrefOf('requests'))}>
          Show all requests
        </Button>
      </Empty>
    )
  return (
    <Rows
      label="Requests, newest first"
      items={shown}
      columns={columns}
      keyOf={({ id }) => id}
      href={hrefTo}
      chosen={thing.value}
      older={more.value ? () => void list.older() : undefined}
    />
  )
}

const NoRequest = () => (
  <Empty icon="requests" title="No request yet">
    <p>Point your program's base URL here, with the key of this world:</p>
    <Block label="Base URL" text={settings.origin} />
    <Block
      label="A first request"
      text={`curl -u ${curlUser()} ${settings.origin}/api/v2/payment_channels`}
    />
  </Empty>
)
