import { useEffect, useState } from 'preact/hooks'
import type { Checkout } from '../../src/client/types.ts'
import { act, busy } from '../core/actions.ts'
import { checkoutBody, GLOBAL_PATH, type Rail } from '../core/checkout.ts'
import { money } from '../core/format.ts'
import { useWatching } from '../core/handset.ts'
import { curlUser } from '../core/here.ts'
import { curlOf } from '../core/payment.ts'
import { listOf, resource, useList } from '../core/resource.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Block, Button, Said } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'
import type { Column } from '../parts/table.tsx'
import { CheckoutDetail, CheckoutState } from './checkout-detail.tsx'

/** Opening, paying and finishing a checkout all change its transaction. */
const checkouts = resource<Checkout>({
  path: '/sandbox/checkouts',
  rows: 'checkouts',
  order: ({ id }) => id,
  events: ['transaction'],
})

const nameOf = ({ external_reference, reference }: Checkout) => external_reference || reference

const columns: readonly Column<Checkout>[] = [
  {
    title: 'Reference',
    is: 'main',
    cell: (row) => (
      <a href={hrefOf('checkouts', row.checkout_request_id, route.value.query)}>
        <Said>{nameOf(row)}</Said>
      </a>
    ),
  },
  { title: 'By', rank: 1, cell: ({ rail }) => <span class="soft">{rails[rail as Rail]}</span> },
  {
    title: 'Amount',
    is: 'amount',
    cell: ({ amount, currency }) => <span class="num">{money(amount, currency)}</span>,
  },
  { title: 'State', is: 'state', cell: (row) => <CheckoutState of={row} /> },
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

const filters = [
  {
    label: 'States',
    name: 'state',
    values: { waiting: 'Not opened', open: 'Open', three_d_secure: '3-D Secure', closed: 'Over' },
  },
]

/** Open and finished checkout pages. */
export function Checkouts() {
  useWatching()
  const { state } = route.value.query
  const list = useList(checkouts, { state })
  const chosen = list.items.value.find(
    (it) => thing.value === it.checkout_request_id || thing.value === nameOf(it),
  )
  return (
    <ListPage
      title="Checkouts"
      noun="checkout"
      list={list}
      columns={columns}
      href={({ checkout_request_id }) => hrefOf('checkouts', checkout_request_id, route.value.query)}
      chosen={chosen?.id}
      filters={filters}
      detail={<CheckoutDetail of={chosen} reference={thing.value!} />}
      empty={<NoCheckout />}
      above={<PayerMode />}
      actions={<NewCheckout />}
    />
  )
}

/** Creates a pay-in with a checkout page and opens it here. */
function NewCheckout() {
  const [rail, setRail] = useState<Rail>('card')
  const make = () =>
    void act(async ({ client, transport }) => {
      const taken = new Set(listOf(checkouts).items.peek().map(nameOf))
      let n = taken.size + 1
      while (taken.has(`checkout-${n}`)) n++
      const callback_url = await client.inbox.url()
      await transport.ask('POST', GLOBAL_PATH, {
        body: checkoutBody(rail, `checkout-${n}`, whereFor(callback_url)),
      })
      await listOf(checkouts).load()
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
