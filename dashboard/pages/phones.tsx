import { useState } from 'preact/hooks'
import type { PhoneList, PhoneSummary } from '../../src/generated/control/types.ts'
import { phone as spoken } from '../core/format.ts'
import { digitsOf, operatorOf } from '../core/operators.ts'
import { go, hrefOf, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { transactions } from '../core/store.ts'
import { useFresh } from '../core/use-fresh.ts'
import { Button, Pill } from '../parts/bits.tsx'
import { Empty, Loading, NotThere } from '../parts/list-states.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { PhonePage } from './phone.tsx'

/** A listed phone, or one named by a payment. */
type Row = PhoneSummary

/** Maximum number of phones taken from payments. */
const MOST = 100

export const Phones = () =>
  thing.value === undefined ? <List /> : <PhonePage number={digitsOf(thing.value)} />

const columns: readonly Column<Row>[] = [
  {
    title: 'Phone',
    cell: ({ number }) => (
      <span class="stack">
        <span class="one-line">
          <a class="num" href={hrefOf('phone', number)}>
            <bdi>{spoken(number)}</bdi>
          </a>
        </span>
        <span class="below one-line">{operatorOf(number).name}</span>
      </span>
    ),
  },
  { title: 'Operator', wide: true, cell: ({ number }) => operatorOf(number).name },
  { title: 'State', width: 'var(--state-wide)', right: true, cell: (row) => <State of={row} /> },
]

function State({ of: { waiting, on, registered, operator, locked } }: { of: Row }) {
  if (waiting > 0)
    return <Pill tone="wait">{waiting === 1 ? 'prompt waits' : `${waiting} prompts wait`}</Pill>
  if (!on) return <Pill tone="bad">off</Pill>
  if (!registered) return <Pill tone="bad">not registered</Pill>
  if (locked) return <Pill tone="bad">locked</Pill>
  if (operator !== 'works') return <Pill tone="bad">{`operator ${operator}`}</Pill>
  return <Pill tone="good">on</Pill>
}

function List() {
  const { transport, world } = session.value!
  const read = useFresh(
    () => transport.ask<PhoneList>('GET', '/sandbox/phones', { query: { limit: 1_000 } }),
    [world],
    ({ type }) => type === 'phone' || type === 'prompt' || type === 'transaction',
  )
  const rows = withOthers(read.value?.phones ?? [])
  return (
    <>
      <header class="head">
        <h1>Phones</h1>
        <div class="actions">
          <OpenOne />
        </div>
      </header>
      <PayerMode />
      <section class="card" aria-label="Phones">
        {rows.length > 0 ? (
          <Rows
            label="Phones, waiting prompts first"
            items={rows}
            columns={columns}
            keyOf={({ number }) => number}
            href={({ number }) => hrefOf('phone', number)}
          />
        ) : read.error ? (
          <NotThere state="failed" error={read.error} retry={read.again} />
        ) : read.loading ? (
          <Loading />
        ) : (
          <Empty icon="phone" title="No phone has been asked yet">
            <p>
              Every mobile number of a country served is a phone; its PIN is 1234. Open one, and pay: it will
              be asked there.
            </p>
            <Button needs="read" kind="main" icon="phone" onClick={() => go(hrefOf('phone', '254712345678'))}>
              Open 0712 345 678
            </Button>
          </Empty>
        )}
      </section>
    </>
  )
}

/** Phones with waiting prompts first, then changed ones, then those of payments. */
function withOthers(known: readonly PhoneSummary[]): readonly Row[] {
  const all = new Map(known.map((each) => [each.number, each]))
  for (const { rail, party } of transactions.value) {
    if (all.size >= known.length + MOST) break
    if (rail !== 'momo' || all.has(party) || !/^\d{10,15}$/.test(party)) continue
    const untouched = { on: true, registered: true, operator: 'works', locked: false, waiting: 0 } as const
    all.set(party, { number: party, country: '', ...untouched })
  }
  return [...all.values()].toSorted((a, b) => b.waiting - a.waiting)
}

function OpenOne() {
  const [typed, setTyped] = useState('')
  const open = (event: Event) => {
    event.preventDefault()
    if (typed.trim() !== '') go(hrefOf('phone', digitsOf(typed)))
  }
  return (
    <form class="row" onSubmit={open}>
      <input
        class="name"
        type="tel"
        aria-label="Phone number"
        placeholder="0712 345 678"
        value={typed}
        autocomplete="off"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Button needs="read" type="submit">
        Open
      </Button>
    </form>
  )
}
