import type { ChangePhoneRequest, Phone } from '../../src/client/types.ts'
import type { PhoneSummary } from '../../src/generated/control/types.ts'
import { refusal } from '../core/access.ts'
import { act } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { phone as spoken } from '../core/format.ts'
import { digitsOf } from '../core/names.ts'
import { type Handset, answerForMe, answersForMe, useHandset } from '../core/handset.ts'
import { useList, wholeResource } from '../core/resource.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Button, Card, Pill, Said } from '../parts/bits.tsx'
import { Form, TextForm } from '../parts/form.tsx'
import { HandsetView } from '../parts/handset.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Empty } from '../parts/list-states.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'
import { RealPhone } from '../parts/real-phone.tsx'
import type { Column } from '../parts/table.tsx'
import schema from 'schema:updatePhone?on,registered,locked,operator,balance,pin'

/** Payments whose phones are listed too. */
const PAYMENTS = 100

/** Phones with waiting prompts first, then changed ones, then those of payments. */
const phones = wholeResource<PhoneSummary>(async () => {
  const { transport } = session.peek()!
  const [known, paid] = await Promise.all([
    transport.call('listPhones', { query: { limit: 1_000 } }),
    transport.call('listTransactions', { query: { rail: 'momo', limit: PAYMENTS } }),
  ])
  const all = new Map(
    paid.transactions
      .filter(({ party }) => /^\d{10,15}$/.test(party))
      .map(({ party: number, country, network }): [string, PhoneSummary] => [
        number,
        { number, country, carrier: '', network: network ?? '', ...untouched },
      ]),
  )
  const others = [...all.values()].filter(
    ({ number }) => !known.phones.some((each) => each.number === number),
  )
  return [...known.phones, ...others].toSorted((a, b) => b.waiting - a.waiting)
}, ['phone', 'prompt', 'transaction'])

const untouched = { on: true, registered: true, operator: 'works', locked: false, waiting: 0 } as const

export const Phones = () =>
  thing.value === undefined ? <All /> : <PhonePage number={digitsOf(thing.value)} />

const columns: readonly Column<PhoneSummary>[] = [
  {
    title: 'Phone',
    is: 'main',
    cell: ({ number }) => (
      <a class="num" href={hrefOf('phone', number)}>
        <Said>{spoken(number)}</Said>
      </a>
    ),
  },
  { title: 'Network', rank: 1, cell: ({ network }) => <span class="soft">{network}</span> },
  { title: 'State', is: 'state', cell: (row) => <State of={row} /> },
]

function State({ of: { waiting, on, registered, operator, locked } }: { of: PhoneSummary }) {
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

const OpenOne = () => (
  <TextForm
    label="Phone number"
    type="tel"
    placeholder="0712 345 678"
    action="Open"
    send={(typed) => go(hrefOf('phone', digitsOf(typed)))}
  />
)

export function PhonePage({ number }: { number: string }) {
  const handset = useHandset(number)
  const { phone, error } = handset
  if (!phone && error)
    return (
      <Empty icon="phone" title="This is no phone" page>
        <p>
          <Said>{error}</Said>
        </p>
        <p>
          <a href={hrefOf('phone')}>All phones</a>
        </p>
      </Empty>
    )
  if (route.value.query['alone'] !== undefined) return <HandsetView of={handset} alone />
  return (
    <>
      <header class="head">
        <a class="way" href={hrefOf('phone')}>
          <Icon name="left" />
          Phones
        </a>
        <h1 class="num">
          <bdi>{spoken(number)}</bdi>
        </h1>
        <div class="actions">
          <Button icon="plus" keys="n" onClick={() => newPayment({ phone: number })}>
            New payment
          </Button>
        </div>
      </header>
      <div class="phone-page">
        <HandsetView of={handset} />
        <div class="stack-cards">
          <PayerMode />
          {phone && (
            <>
              <QuickAnswers of={handset} phone={phone} />
              <PhoneSettings phone={phone} handset={handset} />
            </>
          )}
          <RealPhone href={hrefOf('phone', number, { alone: '' })} what="this phone" />
        </div>
      </div>
    </>
  )
}

function PhoneSettings({ phone, handset }: { phone: Phone; handset: Handset }) {
  const { number, on, registered, locked, operator, pin, balances } = phone
  const [own] = balances
  return (
    <Card title="Settings of this phone">
      <Form<ChangePhoneRequest>
        of={schema}
        fields={{
          registered: { label: 'Registered for mobile money' },
          locked: { label: 'PIN locked' },
          balance: own ? { label: `Balance, ${own.currency}`, placeholder: 'unlimited' } : { hidden: true },
          pin: { hidden: !/^\d+$/.test(pin) },
        }}
        initial={{ on, registered, locked, operator, pin, balance: own?.limited ? own.amount : '' }}
        class="in-card two"
        row
        instant
        action=""
        send={async (body) => {
          const currency = body.balance !== undefined && own ? { currency: own.currency } : {}
          await session
            .peek()!
            .client.phone(number)
            .change({ ...body, ...currency })
        }}
      />
      {handset.screen === 'off' && (
        <p class="soft in-card">Money that is paid out reaches it all the same.</p>
      )}
    </Card>
  )
}

/** One button per way to end a prompt. */
export function QuickAnswers({ of, phone }: { of: Handset; phone: Phone }) {
  const { prompt } = of
  const idle = !prompt || of.screen !== 'prompt'
  const { number, pin } = phone
  const right = /^\d+$/.test(pin) ? pin : '1234'
  const wrong = right === '0000' ? '1111' : '0000'
  const broken = (change: ChangePhoneRequest, done: string) =>
    void act(async ({ client }) => {
      await client.phone(number).change(change)
      return done
    })
  const shortOfMoney = () =>
    void act(async ({ client }) => {
      await client.phone(number).change({ balance: 0, currency: prompt!.currency })
      await client.prompts.respond(prompt!.id, { pin: right })
      return 'The balance is now 0. You can change it below.'
    })
  const ignore = () =>
    void act(async ({ client }) => {
      await client.phone(number).ignore()
      return "The prompt expired; the world's clock was advanced."
    })
  return (
    <Card
      title="Quick answers"
      beside={<span class="soft small">{prompt ? 'A prompt is waiting.' : 'No prompt is waiting.'}</span>}
      actions={
        <Switch on={answersForMe.value} set={answerForMe}>
          Answer for me
        </Switch>
      }
    >
      <div class="row in-card">
        <Button kind="main" disabled={idle} onClick={() => void of.response(right)}>
          Right PIN
        </Button>
        <Button disabled={idle} onClick={() => void of.response(wrong)}>
          Wrong PIN
        </Button>
        <Button disabled={idle} onClick={of.cancel}>
          Cancel
        </Button>
        <Button disabled={idle || prompt?.expires_at === null} onClick={ignore}>
          Ignore
        </Button>
        <Button disabled={idle} onClick={shortOfMoney}>
          No money
        </Button>
        <Button disabled={!phone.on} onClick={() => broken({ on: false }, 'The phone is off.')}>
          Phone off
        </Button>
        <Button
          disabled={!phone.registered}
          onClick={() => broken({ registered: false }, 'The phone is not registered for mobile money.')}
        >
          Not registered
        </Button>
        <Button
          disabled={phone.operator === 'busy'}
          onClick={() => broken({ operator: 'busy' }, 'The operator is busy.')}
        >
          Operator busy
        </Button>
      </div>
    </Card>
  )
}

interface Props {
  readonly on: boolean
  readonly set: (on: boolean) => void
  readonly children: string
  /** Whether it only affects this window. */
  readonly own?: boolean
}

/** A toggle that takes effect immediately. */
export const Switch = ({ on, set, children, own = false }: Props) => (
  <label class="joined">
    <input
      type="checkbox"
      role="switch"
      checked={on}
      disabled={!own && refusal('change') !== undefined}
      onChange={({ currentTarget }) => set(currentTarget.checked)}
    />
    {children}
  </label>
)
