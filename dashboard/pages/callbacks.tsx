import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Callback } from '../../src/client/types.ts'
import { act, advance, busy, runDue } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { counted, shortUrl } from '../core/format.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { callbacks, show } from '../core/store.ts'
import { clock, worldNow } from '../core/world-clock.ts'
import { atNeed } from '../parts/at-need.tsx'
import { Button, Time } from '../parts/bits.tsx'
import { CallbackState } from '../parts/callback-state.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'

const CallbackDetail = atNeed(async () => (await import('./callback-detail.tsx')).CallbackDetail)

const isFailing = ({ state, attempt_count }: Callback) =>
  state === 'failed' || (state === 'pending' && attempt_count > 0)

const states: { readonly [state: string]: string } = {
  failing: 'Failing',
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed for good',
}

const shown = computed(() => {
  const { state, text = '' } = route.value.query
  const word = text.toLowerCase()
  return callbacks.items.value.filter(
    (each) =>
      (state === undefined || (state === 'failing' ? isFailing(each) : each.state === state)) &&
      `${each.url} ${each.external_reference} ${each.transaction} ${each.event_id}`
        .toLowerCase()
        .includes(word),
  )
})

const hrefTo = ({ id }: Callback) => hrefOf('callbacks', id, route.value.query)

const columns: readonly Column<Callback>[] = [
  { title: 'Time', width: 'var(--time)', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Callback of',
    cell: (callback) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefTo(callback)}>
            <bdi>{callback.external_reference || callback.transaction}</bdi>
          </a>
        </span>
        <span class="below one-line">
          <bdi>{shortUrl(callback.url)}</bdi>
        </span>
      </span>
    ),
  },
  { title: 'To', wide: true, width: '34%', cell: ({ url }) => <bdi>{shortUrl(url)}</bdi> },
  {
    title: 'Attempts',
    wide: true,
    width: '5.5rem',
    right: true,
    cell: ({ attempt_count }) => <span class="num">{attempt_count}</span>,
  },
  {
    title: 'State',
    width: 'var(--state-wide)',
    right: true,
    cell: (callback) => <CallbackState of={callback} />,
  },
]

export function Callbacks() {
  useEffect(() => show('callbacks'), [])
  const { query } = route.value
  const failed = shown.value.filter(isFailing)
  const next = nextAttempt(shown.value)
  const isDue = next !== undefined && next <= (worldNow.value ?? 0)
  return (
    <Split
      title="Callbacks"
      detail={<CallbackDetail id={Number(thing.value)} />}
      list={
        <>
          <header class="head">
            <h1>Callbacks</h1>
            <div class="actions">
              <input
                type="search"
                aria-label="Filter by address, reference or event id"
                placeholder="Address, reference, event id"
                value={query['text'] ?? ''}
                onInput={({ currentTarget: { value } }) => {
                  const { text: _before, ...others } = query
                  go(hrefOf('callbacks', thing.value, value ? { ...others, text: value } : others), {
                    replace: true,
                  })
                }}
              />
              {isDue && clock.value?.frozen && (
                <Button disabled={busy.value} onClick={() => void runDue()}>
                  Run what is due
                </Button>
              )}
              {next !== undefined && !isDue && (
                <Button disabled={busy.value} onClick={() => void advance(new Date(next))}>
                  Advance to the next attempt
                </Button>
              )}
              {failed.length > 0 && (
                <Button disabled={busy.value} onClick={() => void resendAll(failed)}>
                  Resend {counted(failed.length, 'failing', 'failing')}
                </Button>
              )}
            </div>
          </header>
          <section class="card" aria-label="Callbacks">
            <header class="bar">
              <FilterChips label="States" name="state" values={states} />
            </header>
            <List />
          </section>
        </>
      }
    />
  )
}

/** Returns the time of the next attempt, or undefined if none is scheduled. */
function nextAttempt(all: readonly Callback[]): number | undefined {
  const times = all.flatMap(({ state, next_attempt_at }) =>
    state === 'pending' && next_attempt_at !== null ? [Date.parse(next_attempt_at)] : [],
  )
  return times.length > 0 ? Math.min(...times) : undefined
}

/** Maximum number of callbacks resent one by one; failed ones are resent together. */
const ONE_BY_ONE = 100

const resendAll = (failed: readonly Callback[]) =>
  act(async ({ client }) => {
    const givenUp = failed.filter(({ state }) => state === 'failed')
    const filtered = failed.length < callbacks.items.value.filter(isFailing).length
    const together = !filtered && givenUp.length > 0
    const done = together ? (await client.callbacks.resendAll()).resent : 0
    const rest = (together ? failed.filter(({ state }) => state !== 'failed') : failed).slice(0, ONE_BY_ONE)
    for (const { id } of rest) await client.callbacks.resend(id)
    return `${counted(done + rest.length, 'callback')} resent.`
  })

function List() {
  const { items, state, error, more } = callbacks
  // Stop paging after an older page without matches.
  useEffect(() => {
    if (more.value && shown.value.length < 30) void callbacks.older()
  }, [items.value.length, shown.value.length, more.value])
  if (state.value !== 'there' && items.value.length === 0)
    return <NotThere state={state.value} error={error.value} retry={() => void callbacks.load()} />
  if (items.value.length === 0)
    return (
      <Empty icon="callbacks" title="No callbacks yet">
        <p>
          A payment with a <code>callback_url</code> sends a callback there when it ends. The form fills in an
          inbox of this world.
        </p>
        <Button kind="main" icon="plus" onClick={() => newPayment()}>
          New payment
        </Button>
      </Empty>
    )
  if (shown.value.length === 0)
    return (
      <Empty icon="search" title="No callbacks match">
        <Button needs="read" onClick={() => go(hrefOf('callbacks'))}>
          Show all {counted(items.value.length, 'callback')}
        </Button>
      </Empty>
    )
  return (
    <Rows
      label="Callbacks, newest first"
      items={shown.value}
      columns={columns}
      keyOf={({ id }) => id}
      href={hrefTo}
      chosen={thing.value}
      older={more.value ? () => void callbacks.older() : undefined}
    />
  )
}
