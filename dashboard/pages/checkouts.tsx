import { useEffect, useState } from 'preact/hooks'
import type { Checkout } from '../../src/client/types.ts'
import type { CheckoutPage } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { checkoutBody, GLOBAL_PATH, type Rail } from '../core/checkout.ts'
import { counted, money } from '../core/format.ts'
import { atMostEvery } from '../core/frame.ts'
import { useWatching } from '../core/handset.ts'
import { curlUser } from '../core/here.ts'
import { listOf } from '../core/list.ts'
import { curlOf } from '../core/payment.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { changes } from '../core/store.ts'
import { Block, Button } from '../parts/bits.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'
import { CheckoutDetail, CheckoutState } from './checkout-detail.tsx'

const checkouts = listOf<Checkout>({
  async page(before) {
    const query = { limit: 100, before }
    const found = await session.peek()!.transport.ask<CheckoutPage>('GET', '/sandbox/checkouts', { query })
    return { items: found.checkouts, next: found.next_before }
  },
  order: ({ id }) => id,
})
const again = atMostEvery(400, () => checkouts.load())

const nameOf = ({ external_reference, reference }: Checkout) => external_reference || reference

const columns: readonly Column<Checkout>[] = [
  {
    title: 'Reference',
    cell: (row) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefOf('checkouts', row.checkout_request_id)}>
            <bdi>{nameOf(row)}</bdi>
          </a>
        </span>
        <span class="below one-line num">{money(row.amount, row.currency)}</span>
      </span>
    ),
  },
  { title: 'By', wide: true, width: '18%', cell: ({ rail }) => rails[rail as Rail] },
  {
    title: 'Amount',
    wide: true,
    width: '22%',
    right: true,
    cell: ({ amount, currency }) => <span class="num">{money(amount, currency)}</span>,
  },
  { title: 'State', width: 'var(--state-wide)', right: true, cell: (row) => <CheckoutState of={row} /> },
]

const rails: { readonly [rail in Rail]: string } = {
  card: 'card',
  momo: 'mobile money',
  bank: 'bank',
}

const whereFor = (callback_url: string) => ({
  vendor_id: settings.collector?.id ?? 1,
  callback_url,
  redirect_url: settings.origin,
})

const states = { open: 'Open', closed: 'Over' } as const
const fits = ({ state }: Checkout, wanted: string | undefined) =>
  wanted === undefined || (state === 'closed') === (wanted === 'closed')

/** Open and finished checkout pages. */
export function Checkouts() {
  const { world } = session.value!
  useWatching()
  useEffect(() => checkouts.clear(), [world, changes.value['reset']])
  useEffect(() => void checkouts.load(), [world, changes.value['reset']])
  // Opening, paying and finishing a checkout all change its transaction.
  useEffect(() => again(), [changes.value['transaction']])
  const chosen = checkouts.items.value.find(
    (it) => thing.value === it.checkout_request_id || thing.value === nameOf(it),
  )
  return (
    <Split
      title="Checkouts"
      detail={<CheckoutDetail of={chosen} reference={thing.value!} />}
      list={
        <>
          <header class="head">
            <h1>Checkouts</h1>
            <div class="actions">
              <NewCheckout />
            </div>
          </header>
          <PayerMode />
          <section class="card" aria-label="Checkouts">
            <header class="bar">
              <FilterChips label="States" name="state" values={states} />
            </header>
            <List chosen={chosen?.id} />
          </section>
        </>
      }
    />
  )
}

function List({ chosen }: { chosen: number | undefined }) {
  const { items, state, error, more } = checkouts
  const shown = items.value.filter((it) => fits(it, route.value.query['state']))
  if (state.value !== 'there' && items.value.length === 0)
    return <NotThere state={state.value} error={error.value} retry={() => void checkouts.load()} />
  if (items.value.length === 0) return <NoCheckout />
  if (shown.length === 0)
    return (
      <Empty icon="search" title="No checkouts match">
        <Button needs="read" onClick={() => go(hrefOf('checkouts'))}>
          Show all {counted(items.value.length, 'checkout')}
        </Button>
      </Empty>
    )
  return (
    <Rows
      label="Checkouts, newest first"
      items={shown}
      columns={columns}
      keyOf={({ id }) => id}
      href={({ checkout_request_id }) => hrefOf('checkouts', checkout_request_id)}
      chosen={chosen}
      older={more.value ? () => void checkouts.older() : undefined}
    />
  )
}

/** Creates a pay-in with a checkout page and opens it here. */
function NewCheckout() {
  const [rail, setRail] = useState<Rail>('card')
  const make = () =>
    void act(async ({ client, transport }) => {
      const taken = new Set(checkouts.items.peek().map(nameOf))
      let n = taken.size + 1
      while (taken.has(`checkout-${n}`)) n++
      const callback_url = await client.inbox.url()
      await transport.ask('POST', GLOBAL_PATH, {
        body: checkoutBody(rail, `checkout-${n}`, whereFor(callback_url)),
      })
      await checkouts.load()
      go(hrefOf('checkouts', `checkout-${n}`))
      return `checkout-${n} is waiting for its payer.`
    })
  return (
    <span class="joined">
      <select
        class="name"
        aria-label="Paid by"
        value={rail}
        onChange={({ currentTarget }) => setRail(currentTarget.value as Rail)}
      >
        {Object.entries(rails).map(([id, title]) => (
          <option key={id} value={id}>
            by {title}
          </option>
        ))}
      </select>
      <Button kind="main" icon="plus" disabled={busy.value} onClick={make}>
        New checkout
      </Button>
    </span>
  )
}

function NoCheckout() {
  const [url, setUrl] = useState('')
  useEffect(() => {
    session.value!.client.inbox.url().then(setUrl, () => {})
  }, [])
  const body = checkoutBody('card', 'checkout-1', whereFor(url))
  return (
    <Empty icon="checkout" title="No checkout yet">
      <p>
        A pay-in by <code>POST {GLOBAL_PATH}</code> returns the address of a checkout page. Press New
        checkout, or send one:
      </p>
      <Block label="A checkout by curl" text={curlOf(settings.origin, curlUser(), GLOBAL_PATH, body)} />
    </Empty>
  )
}
