import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { newPayment } from '../core/dialogs.ts'
import { counted, money, phone } from '../core/format.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { show, type Transaction, transactionList, transactions } from '../core/store.ts'
import { Button, Status, Time } from '../parts/bits.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { FirstPayment } from './first-payment.tsx'
import { TransactionPage } from './transaction.tsx'

const statuses = { QUEUED: 'Queued', SUCCESS: 'Success', FAILED: 'Failed', REVERSED: 'Reversed' }

const shown = computed(() => {
  const { status: wanted, text = '' } = route.value.query
  const word = text.toLowerCase()
  return transactions.value.filter(
    (it) =>
      (wanted === undefined || it.status === wanted) &&
      (word === '' ||
        `${it.external_reference} ${it.reference} ${it.provider_reference} ${it.checkout_request_id} ${it.party} ${it.reason ?? ''}`
          .toLowerCase()
          .includes(word)),
  )
})

export const nameOf = ({
  external_reference,
  reference,
}: Pick<Transaction, 'external_reference' | 'reference'>) => external_reference || reference

const hrefTo = (row: Transaction) => hrefOf('tx', nameOf(row))

const columns: readonly Column<Transaction>[] = [
  { title: 'Time', width: 'var(--time)', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Reference',
    cell: (row) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefTo(row)}>
            <bdi>{nameOf(row)}</bdi>
          </a>
        </span>
        <span class="below one-line">
          <span class="num">{signed(row)}</span>, <bdi>{phone(row.party)}</bdi>
        </span>
      </span>
    ),
  },
  { title: 'Party', wide: true, width: '9.5rem', cell: ({ party }) => <bdi class="num">{phone(party)}</bdi> },
  {
    title: 'Rail',
    wide: true,
    width: '8rem',
    cell: ({ rail, provider }) => <span class="soft">{`${rail}, ${provider}`}</span>,
  },
  { title: 'Team', wide: true, width: '4rem', cell: ({ account_id }) => account_id },
  {
    title: 'Amount',
    wide: true,
    width: '9rem',
    right: true,
    cell: (row) => <span class="num">{signed(row)}</span>,
  },
  {
    title: 'State',
    width: 'var(--state-wide)',
    right: true,
    cell: ({ status, reason }) => (
      <>
        {reason && <span class="soft wide-only">{reason.replaceAll('_', ' ')} </span>}
        <Status of={status} />
      </>
    ),
  },
]

const signed = ({ direction, amount, currency }: Transaction) =>
  `${direction === 'payout' ? '−' : ''}${money(amount, currency)}`

export function Transactions() {
  useEffect(() => show('callbacks'), [])
  useEffect(() => show('transactions'), [])
  if (thing.value !== undefined) return <TransactionPage reference={thing.value} />
  const { query } = route.value
  return (
    <>
      <header class="head">
        <h1>Transactions</h1>
        <div class="actions">
          <input
            type="search"
            aria-label="Filter by reference, phone or reason"
            placeholder="Reference, phone, reason"
            value={query['text'] ?? ''}
            onInput={({ currentTarget: { value } }) => {
              const { text: _before, ...others } = query
              go(hrefOf('tx', undefined, value ? { ...others, text: value } : others), { replace: true })
            }}
          />
          <Button kind="main" icon="plus" keys="n" onClick={() => newPayment()}>
            New payment
          </Button>
        </div>
      </header>
      <section class="card" aria-label="Transactions">
        <header class="bar">
          <FilterChips label="States" name="status" values={statuses} />
        </header>
        {shown.value.length > 0 ? (
          <Rows
            label="Transactions, newest first"
            items={shown.value}
            columns={columns}
            keyOf={({ id }) => id}
            href={hrefTo}
            older={transactionList.more.value ? () => void transactionList.older() : undefined}
          />
        ) : transactions.value.length > 0 ? (
          <Empty icon="search" title="No transactions match">
            <Button needs="read" onClick={() => go(hrefOf('tx'))}>
              Show all {counted(transactions.value.length, 'transaction')}
            </Button>
          </Empty>
        ) : (
          <NoneYet />
        )}
      </section>
    </>
  )
}

function NoneYet() {
  const { state, error } = transactionList
  if (state.value === 'there') return <FirstPayment />
  return <NotThere state={state.value} error={error.value} retry={() => void transactionList.load()} />
}
