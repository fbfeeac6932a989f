import type { Checkout } from '../../src/client/types.ts'
import { newPayment } from '../core/dialogs.ts'
import { money } from '../core/format.ts'
import { useWatching } from '../core/handset.ts'
import { resource, useList } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { Button } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'
import { PaymentCurl } from '../parts/curl.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
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
  nameColumn('Reference', (row) => hrefOf('checkouts', row.checkout_request_id, route.value.query), nameOf),
  { title: 'By', rank: 1, cell: ({ rail }) => <span class="soft">{rails[rail]}</span> },
  {
    title: 'Amount',
    is: 'amount',
    cell: ({ amount, currency }) => <span class="num">{money(amount, currency)}</span>,
  },
  { title: 'State', is: 'state', cell: (row) => <CheckoutState of={row} /> },
]

const rails: { readonly [rail: string]: string } = {
  card: 'card',
  momo: 'mobile money',
  bank: 'bank',
}

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
      detail={
        <CheckoutDetail of={chosen} reference={thing.value!} loading={list.state.value === 'loading'} />
      }
      empty={<NoCheckout />}
      above={<PayerMode />}
      actions={
        <Button
          kind="main"
          icon="plus"
          onClick={() => newPayment({ rail: 'card', operation: 'createGlobalPayment' })}
        >
          New checkout
        </Button>
      }
    />
  )
}

const NoCheckout = () => (
  <Empty icon="checkout" title="No checkout yet">
    <p>
      A pay-in by <code>POST /api/global/payments</code> returns the address of a checkout page. Press New
      checkout, or send one:
    </p>
    <PaymentCurl label="A checkout by curl" of={{ rail: 'card', reference: 'checkout-1' }} />
  </Empty>
)
