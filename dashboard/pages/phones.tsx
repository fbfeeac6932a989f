import type { PhoneList, PhoneSummary } from '../../src/generated/control/types.ts'
import { phone as spoken } from '../core/format.ts'
import { digitsOf, operatorOf } from '../core/operators.ts'
import { useList, wholeResource } from '../core/resource.ts'
import { go, hrefOf, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { transactions } from '../core/store.ts'
import { Button, Pill, Said } from '../parts/bits.tsx'
import { TextForm } from '../parts/form.tsx'
import { Empty } from '../parts/list-states.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'
import type { Column } from '../parts/table.tsx'
import { PhonePage } from './phone.tsx'

/** A listed phone, or one named by a payment. */
type Row = PhoneSummary

/** Maximum number of phones taken from payments. */
const MOST = 100

const phones = wholeResource<Row>(async () => {
  const { transport } = session.peek()!
  const { phones: known } = await transport.ask<PhoneList>('GET', '/sandbox/phones', {
    query: { limit: 1_000 },
  })
  return withOthers(known)
}, ['phone', 'prompt', 'transaction'])

export const Phones = () =>
  thing.value === undefined ? <All /> : <PhonePage number={digitsOf(thing.value)} />

const columns: readonly Column<Row>[] = [
  {
    title: 'Phone',
    is: 'main',
    cell: ({ number }) => (
      <a class="num" href={hrefOf('phone', number)}>
        <Said>{spoken(number)}</Said>
      </a>
    ),
  },
  { title: 'Operator', rank: 1, cell: ({ number }) => <span class="soft">{operatorOf(number).name}</span> },
  { title: 'State', is: 'state', cell: (row) => <State of={row} /> },
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

const All = () => (
  <ListPage
    title="Phones"
    noun="phone"
    order="waiting prompts first"
    list={useList(phones)}
    columns={columns}
    keyOf={({ number }) => number}
    href={({ number }) => hrefOf('phone', number)}
    actions={<OpenOne />}
    above={<PayerMode />}
    empty={
      <Empty icon="phone" title="No prompts yet">
        <p>
          Every mobile number of a supported country is a phone with the PIN 1234. Open one, and pay: the
          prompt appears there.
        </p>
        <Button needs="read" kind="main" icon="phone" onClick={() => go(hrefOf('phone', '254712345678'))}>
          Open 0712 345 678
        </Button>
      </Empty>
    }
  />
)

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

const OpenOne = () => (
  <TextForm
    label="Phone number"
    type="tel"
    placeholder="0712 345 678"
    action="Open"
    send={(typed) => go(hrefOf('phone', digitsOf(typed)))}
  />
)
