import { useEffect } from 'preact/hooks'
import { money, phone as spoken } from '../core/format.ts'
import { curlUser } from '../core/here.ts'
import { curlOf, PATH } from '../core/payment.ts'
import { hrefOf, thing } from '../core/route.ts'
import { settings } from '../core/settings.ts'
import { show, type Transaction, transactionList } from '../core/store.ts'
import { Block, Pill, Status, Time } from '../parts/bits.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'
import { TillDetail } from './till-detail.tsx'

const nameOf = ({ external_reference, reference }: Transaction) => external_reference || reference

const columns: readonly Column<Transaction>[] = [
  { title: 'Asked', width: 'var(--time)', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Reference',
    cell: (row) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefOf('till', row.reference)}>
            <bdi>{nameOf(row)}</bdi>
          </a>
        </span>
        <span class="below one-line num">
          {money(row.amount, row.currency)}, {spoken(row.party)}
        </span>
      </span>
    ),
  },
  { title: 'Phone', wide: true, width: '20%', cell: ({ party }) => <bdi class="num">{spoken(party)}</bdi> },
  {
    title: 'Amount',
    wide: true,
    width: '20%',
    right: true,
    cell: ({ amount, currency }) => <span class="num">{money(amount, currency)}</span>,
  },
  {
    title: 'State',
    width: 'var(--state)',
    right: true,
    cell: ({ status }) => (status === 'QUEUED' ? <Pill tone="wait">unpaid</Pill> : <Status of={status} />),
  },
]

/** Offline collections, which customers pay from their phone's menu. */
export function Till() {
  useEffect(() => show('transactions'), [])
  const { state, error, more } = transactionList
  const asked = transactionList.items.value.filter((it) => it.is_offline)
  // A second payment has the same reference.
  const chosen =
    asked.find(({ reference }) => reference === thing.value) ??
    asked.findLast((it) => nameOf(it) === thing.value)
  return (
    <Split
      title="Paybill till"
      detail={<TillDetail of={chosen} />}

      list={
        <>
          <header class="head">
            <h1>Paybill till</h1>
            <span class="soft">paybill 756756, paid from a phone's menu without a prompt</span>
          </header>
          <section class="card" aria-label="Offline collections">
            {asked.length > 0 ? (
              <Rows
                label="Offline collections, newest first"
                items={asked}
                columns={columns}
                keyOf={({ id }) => id}
                href={({ reference }) => hrefOf('till', reference)}
                chosen={chosen?.id}
                older={more.value ? () => void transactionList.older() : undefined}
              />
            ) : state.value === 'there' ? (
              <NoCollection />
            ) : (
              <NotThere state={state.value} error={error.value} retry={() => void transactionList.load()} />
            )}
          </section>
        </>
      }
    />
  )
}

const NoCollection = () => (
  <Empty icon="till" title="No offline collection yet">
    <p>
      Offline collections send no prompt: customers enter paybill, account and amount themselves. Create one:
    </p>
    <Block
      label="An offline collection by curl"
      text={curlOf(settings.origin, curlUser(), PATH, {
        account_id: settings.collector?.id ?? 1,
        amount: 100,
        phone_number: '0712345678',
        provider: 'm-pesa',
        is_offline: true,
        external_reference: 'offline-1',
      })}
    />
  </Empty>
)
