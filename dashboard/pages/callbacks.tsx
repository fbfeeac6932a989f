import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Callback } from '../../src/client/types.ts'
import { act } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { counted, shortUrl } from '../core/format.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { callbacks, show } from '../core/store.ts'
import { Button, Time } from '../parts/bits.tsx'
import { CallbackState } from '../parts/callback-state.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'
import { CallbackDetail } from './callback-detail.tsx'

const isFailing = ({ state, attempts_made }: Callback) =>
  state === 'failed' || (state === 'pending' && attempts_made > 0)

const states: { readonly [state: string]: string } = {
  failing: 'Failing',
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Given up',
}

const shown = computed(() => {
  const wanted = route.value.query['state']
  const all = callbacks.items.value
  if (wanted === undefined) return all
  return all.filter((each) => (wanted === 'failing' ? isFailing(each) : each.state === wanted))
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
    cell: ({ attempts_made }) => <span class="num">{attempts_made}</span>,
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
  const failed = callbacks.items.value.filter(isFailing)
  return (
    <Split
      title="Callbacks"
      detail={<CallbackDetail id={Number(thing.value)} />}
      list={
        <>
          <header class="head">
            <h1>Callbacks</h1>
            <div class="actions">
              {failed.length > 0 && (
                <Button onClick={() => void resendAll(failed)}>
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

const resendAll = (failed: readonly Callback[]) =>
  act(async ({ client }) => {
    for (const { id } of failed) await client.callbacks.resend(id)
    return `${counted(failed.length, 'callback')} sent again.`
  })

function List() {
  const { items, state, error, more } = callbacks
  if (state.value !== 'there' && items.value.length === 0)
    return <NotThere state={state.value} error={error.value} retry={() => void callbacks.load()} />
  if (items.value.length === 0)
    return (
      <Empty icon="callbacks" title="Nobody has been called back yet">
        <p>
          A payment with a <code>callback_url</code> is told to that address once it is over. The form fills
          in an inbox of this world.
        </p>
        <Button kind="main" icon="plus" onClick={() => newPayment()}>
          New payment
        </Button>
      </Empty>
    )
  if (shown.value.length === 0)
    return (
      <Empty icon="search" title="No callback is in this state">
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
