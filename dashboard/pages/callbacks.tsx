import type { Callback } from '../../src/client/types.ts'
import { act, advance, runDue } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { counted, shortUrl } from '../core/format.ts'
import { useList } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { callbackResource } from '../core/store.ts'
import { clock, worldNow } from '../core/world-clock.ts'
import { Button, Said, TimeOfDay } from '../parts/bits.tsx'
import { CallbackState, OneGroup } from '../parts/callbacks.tsx'
import { ListPage, useSearch } from '../parts/list-page.tsx'
import { Empty, atNeed } from '../parts/list-states.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'

const CallbackDetail = atNeed(async () => (await import('./callback-detail.tsx')).CallbackDetail)

const isFailing = ({ state, attempt_count }: Callback) =>
  state === 'failed' || (state === 'pending' && attempt_count > 0)

const filters = [
  {
    label: 'States',
    name: 'state',
    values: {
      failing: 'Failing',
      pending: 'Pending',
      delivered: 'Delivered',
      failed: 'Failed for good',
    },
  },
]

const hrefTo = ({ id }: Callback) => hrefOf('callbacks', id, route.value.query)

const columns: readonly Column<Callback>[] = [
  { title: 'Time', is: 'time', cell: ({ created_at }) => <TimeOfDay at={created_at} /> },
  nameColumn('Callback of', hrefTo, (callback) => callback.external_reference || callback.transaction),
  { title: 'To', rank: 1, cell: ({ url }) => <Said>{shortUrl(url)}</Said> },
  {
    title: 'Attempts',
    rank: 2,
    right: true,
    cell: ({ attempt_count }) => <span class="num">{attempt_count}</span>,
  },
  { title: 'State', is: 'state', cell: (callback) => <CallbackState of={callback} /> },
]

export function Callbacks() {
  const { state, group } = route.value.query
  const search = useSearch()
  const list = useList(callbackResource, { state, search, group })
  const shown = list.items.value
  const failed = shown.filter(isFailing)
  const next = nextAttempt(shown)
  const isDue = next !== undefined && next <= (worldNow.value ?? 0)
  return (
    <ListPage
      title="Callbacks"
      noun="callback"
      list={list}
      columns={columns}
      href={hrefTo}
      date={({ created_at }) => created_at}
      chosen={thing.value}
      above={group && <OneGroup what="callbacks" />}
      filters={filters}
      search={{
        label: 'Search by address, reference or event id',
        placeholder: 'Address, reference, event id',
      }}
      detail={<CallbackDetail id={Number(thing.value)} />}
      empty={<NoCallback />}
      actions={
        <>
          {isDue && clock.value?.frozen && <Button onClick={() => void runDue()}>Run what is due</Button>}
          {next !== undefined && !isDue && (
            <Button onClick={() => void advance(new Date(next))}>Advance to the next attempt</Button>
          )}
          {failed.length > 0 && (
            <Button onClick={() => void resendAll(state, search)}>
              Resend {list.more.value ? 'all' : counted(failed.length, 'failing', 'failing')}
            </Button>
          )}
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

/** Resends what the filters of the list show. */
const resendAll = (state: string | undefined, search: string | undefined) =>
  act(async ({ client }) => {
    const { resent, more } = await client.callbacks.resendAll({
      state: state === 'failed' ? 'failed' : 'failing',
      ...(search && { search }),
    })
    return `${counted(resent, 'callback')} resent${more ? '; more are failing' : ''}.`
  })

const NoCallback = () => (
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
