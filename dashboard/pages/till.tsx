import { money, phone as spoken } from '../core/format.ts'
import { useList } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { type Transaction, transactionResource } from '../core/store.ts'
import { Pill, Said, Status, TimeOfDay } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'
import { ListPage, useSearch } from '../parts/list-page.tsx'
import { PaymentCurl } from '../parts/curl.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { TillDetail } from './till-detail.tsx'

const nameOf = ({ external_reference, reference }: Transaction) => external_reference || reference

const hrefTo = ({ reference }: Transaction) => hrefOf('till', reference, route.value.query)

const columns: readonly Column<Transaction>[] = [
  { title: 'Time', is: 'time', cell: ({ created_at }) => <TimeOfDay at={created_at} /> },
  nameColumn('Reference', hrefTo, nameOf),
  {
    title: 'Phone',
    rank: 1,
    cell: ({ party }) => (
      <span class="num">
        <Said>{spoken(party)}</Said>
      </span>
    ),
  },
  {
    title: 'Amount',
    is: 'amount',
    cell: ({ amount, currency }) => <span class="num">{money(amount, currency)}</span>,
  },
  {
    title: 'State',
    is: 'state',
    cell: ({ status }) => (status === 'QUEUED' ? <Pill tone="wait">unpaid</Pill> : <Status of={status} />),
  },
]

/** Offline collections, which customers pay from their phone's menu. */
export function Till() {
  const list = useList(transactionResource, { is_offline: 'true', search: useSearch() })
  // A second payment has the same reference.
  const chosen =
    list.items.value.find(({ reference }) => reference === thing.value) ??
    list.items.value.findLast((it) => nameOf(it) === thing.value)
  return (
    <ListPage
      title="Paybill till"
      noun="collection"
      list={list}
      columns={columns}
      href={hrefTo}
      date={({ created_at }) => created_at}
      chosen={chosen?.id}
      search={{ label: 'Search by reference or phone', placeholder: 'Reference, phone' }}
      detail={<TillDetail of={chosen} />}
      empty={<NoCollection />}
      above={<p class="soft">Paybill 756756, paid from a phone's menu without a prompt.</p>}
    />
  )
}

const NoCollection = () => (
  <Empty icon="till" title="No offline collection yet">
    <p>
      Offline collections send no prompt: customers enter paybill, account and amount themselves. Create one:
    </p>
    <PaymentCurl
      label="An offline collection by curl"
      of={{ amount: 100, reference: 'offline-1', fields: { is_offline: true } }}
    />
  </Empty>
)
