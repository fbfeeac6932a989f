import { act } from '../core/actions.ts'
import { SandboxError, wordsOf } from '../core/api.ts'
import { money, phone as spoken } from '../core/format.ts'
import { useList, useValue } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { type Transaction, transactionResource } from '../core/store.ts'
import { Article, Button, Facts, Pill, Said, Status, TimeOfDay } from '../parts/bits.tsx'
import { PaymentCurl } from '../parts/curl.tsx'
import { PayBill } from '../parts/handset.tsx'
import { ListPage, useSearch } from '../parts/list-page.tsx'
import { Empty } from '../parts/list-states.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { useState } from 'preact/hooks'

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

const PAYBILL = '756756'

/** One offline collection, to pay with the right or a wrong amount. */
export function TillDetail({ of }: { of: Transaction | undefined }) {
  if (!of)
    return (
      <Empty icon="search" title="Offline collection not found">
        <p>The world was reset, or the collection is older than the list.</p>
      </Empty>
    )
  return <Collection key={of.reference} of={of} />
}

interface Came {
  readonly what: string
  readonly words: string
  readonly bad: boolean
}

function Collection({ of }: { of: Transaction }) {
  const { party, currency, reference } = of
  const account_number = `553125#${of.checkout_request_id}`
  // The paid amount replaces the requested one in the transaction.
  const [asked] = useState(of.amount)
  const [came, setCame] = useState<readonly Came[]>([])
  const pay = (what: string, amount: number) =>
    act(async ({ client }) => {
      const told = (words: string, bad: boolean) => setCame((before) => [...before, { what, words, bad }])
      try {
        await client.phone(party).pay({ business_number: PAYBILL, account_number, amount })
        told(`paid ${money(amount, currency)}`, false)
      } catch (failure) {
        if (!(failure instanceof SandboxError) || failure.status === 401) throw failure
        told(wordsOf(failure), true)
      }
    })
  const twice = async () => {
    await pay('Once', asked)
    await pay('Twice', asked)
  }
  const late = async () => {
    const waited = await act(async ({ client }) => {
      const { menu } = await client.phone(party).show()
      const until = menu.find((it) => it.transaction === reference)?.expires_at
      if (until) await client.clock.advance(new Date(until))
    })
    if (waited) await pay('Too late', asked)
  }
  const half = Math.max(1, Math.floor(asked / 2))
  return (
    <div class="stack-cards">
      <Article title={of.external_reference || reference} actions={<Status of={of.status} />}>
        <Facts
          of={[
            ['Paybill', <span class="mono">{PAYBILL}</span>],
            ['Account', <span class="mono">{account_number}</span>],
            ['Amount', money(of.amount, currency)],
            [
              'Phone',
              <a class="num" href={hrefOf('phone', party)}>
                {spoken(party)}
              </a>,
            ],
            ['Payment', <a href={hrefOf('tx', reference)}>its timeline</a>],
          ]}
        />
        <section class="part" aria-label="How it is paid">
          <h3>The customer pays</h3>
          <div class="row">
            <Button kind="main" onClick={() => void pay('As asked', asked)}>
              As asked
            </Button>
            <Button onClick={() => void pay('Too little', half)}>Too little</Button>
            <Button onClick={() => void pay('Too much', asked * 2)}>Too much</Button>
            <Button onClick={() => void twice()}>Twice</Button>
            <Button disabled={of.status !== 'QUEUED'} onClick={() => void late()}>
              Too late
            </Button>
          </div>
          {came.length > 0 && (
            <ol class="plain-list" aria-label="Result" aria-live="polite">
              {came.map(({ what, words, bad }, n) => (
                <li key={n}>
                  <b>{what}</b>
                  <span class={bad ? 'wrong' : 'soft'}>
                    <Said>{words}</Said>
                  </span>
                </li>
              ))}
            </ol>
          )}
          <Realism />
        </section>
        <section class="part" aria-label="Typed by hand">
          <details class="fold">
            <summary>Enter details manually</summary>
            <PayBill
              number={party}
              offers={[
                {
                  transaction: reference,
                  business: '',
                  business_number: PAYBILL,
                  account_number,
                  amount: asked,
                  currency,
                  expires_at: null,
                },
              ]}
            />
          </details>
        </section>
      </Article>
    </div>
  )
}

/** Explains how the sandbox treats wrong payments. */
function Realism() {
  const { client, world } = session.value!
  const { value } = useValue(() => client.show(), [world], ['settings'])
  if (!value) return null
  const real = value.settings.realism !== 'plain'
  const change = () =>
    void act(async ({ client }) => {
      await client.configure({ realism: real ? 'plain' : 'realistic' })
      return real
        ? 'Different payments are rejected.'
        : 'Different payments are accepted, as at a real paybill.'
    })
  return (
    <p class="soft small">
      {real
        ? 'Different payments are accepted, as at a real paybill: less, more, late, or a second time as a separate payment.'
        : 'Payments that differ from the request are rejected. A real paybill would accept them.'}{' '}
      <Button needs="own" onClick={change}>
        {real ? 'Reject different payments' : 'Accept different payments'}
      </Button>
    </p>
  )
}
