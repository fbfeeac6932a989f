import type { ComponentChildren } from 'preact'
import { newPayment } from '../core/dialogs.ts'
import { money, partyOf } from '../core/format.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { rails } from '../core/names.ts'
import { useList, useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { type Transaction, transactionResource } from '../core/store.ts'
import { Button, Said, Status, TimeOfDay } from '../parts/bits.tsx'
import { type Filter, ListPage, useSearch } from '../parts/list-page.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { TransactionPage } from './transaction.tsx'
import { Empty } from '../parts/list-states.tsx'
import { PaymentCurl } from '../parts/curl.tsx'

const filters: readonly Filter[] = [
  {
    label: 'States',
    name: 'status',
    values: { QUEUED: 'Queued', SUCCESS: 'Success', FAILED: 'Failed', REVERSED: 'Reversed' },
  },
  { label: 'Rail', name: 'rail', values: rails, all: 'every rail' },
  {
    label: 'Direction',
    name: 'direction',
    values: { payin: 'pay-ins', payout: 'payouts' },
    all: 'in and out',
  },
]

export const nameOf = ({
  external_reference,
  reference,
}: Pick<Transaction, 'external_reference' | 'reference'>) => external_reference || reference

const hrefTo = (row: Transaction) => hrefOf('tx', nameOf(row))

export const columns: readonly Column<Transaction>[] = [
  { title: 'Time', is: 'time', cell: ({ created_at }) => <TimeOfDay at={created_at} /> },
  nameColumn('Reference', hrefTo, nameOf),
  {
    title: 'Party',
    rank: 1,
    cell: (row) => (
      <span class="num">
        <Said>{partyOf(row)}</Said>
      </span>
    ),
  },
  { title: 'Reason', rank: 2, cell: ({ reason }) => reason && <Soft>{reason.replaceAll('_', ' ')}</Soft> },
  {
    title: 'By',
    rank: 3,
    cell: ({ rail, provider }) => (
      <Soft>
        <Said>{rail === 'momo' ? provider : `${rails[rail] ?? rail}, ${provider}`}</Said>
      </Soft>
    ),
  },
  { title: 'Team', rank: 4, right: true, cell: ({ account_id }) => <Soft>{account_id}</Soft> },
  { title: 'Amount', is: 'amount', cell: (row) => <span class="num">{signed(row)}</span> },
  { title: 'State', is: 'state', cell: ({ status }) => <Status of={status} /> },
]

const Soft = ({ children }: { children: ComponentChildren }) => <span class="soft">{children}</span>

const signed = ({ direction, amount, currency }: Transaction) =>
  `${direction === 'payout' ? '−' : ''}${money(amount, currency)}`

export const Transactions = () =>
  thing.value === undefined ? <All /> : <TransactionPage reference={thing.value} />

function All() {
  const { client, world } = session.value!
  const { status, rail, direction } = route.value.query
  const list = useList(transactionResource, { status, rail, direction, search: useSearch() })
  const { value } = useValue(() => client.show(), [world], ['transaction'])
  return (
    <ListPage
      title="Payments"
      noun="payment"
      list={list}
      columns={columns}
      href={hrefTo}
      date={({ created_at }) => created_at}
      filters={filters}
      search={{
        label: 'Search by reference, phone, account or receipt',
        placeholder: 'Reference, phone, receipt',
      }}
      total={value?.transactions}
      empty={<FirstPayment />}
      actions={
        <Button kind="main" icon="plus" keys="n" onClick={() => newPayment()}>
          New payment
        </Button>
      }
    />
  )
}

/** The empty state of a new world. */
export const FirstPayment = () => (
  <Empty icon="transactions" title="No payments yet">
    <p>Send the first one. It appears here, and its callback arrives in an inbox of this world.</p>
    <PaymentCurl label="A first payment by curl" of={{ reference: 'order-1', amount: 100 }} />
    <p>
      <Button kind="main" icon="plus" onClick={() => newPayment()}>
        New payment
      </Button>
    </p>
  </Empty>
)
