import type { Checkout, RespondToCheckoutRequest, TestCard } from '../../src/client/types.ts'
import { newPayment } from '../core/dialogs.ts'
import { money } from '../core/format.ts'
import { useWatching } from '../core/handset.ts'
import { rails } from '../core/names.ts'
import { resource, useList, useValue } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { Article, Button, Facts, PickButton, Pill, Said, Status, Time } from '../parts/bits.tsx'
import { Empty, Missing } from '../parts/list-states.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'
import { PaymentCurl } from '../parts/curl.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { act } from '../core/actions.ts'
import { countdown } from '../core/times.ts'
import { session } from '../core/session.ts'
import { worldNow } from '../core/world-clock.ts'
import { RealPhone } from '../parts/real-phone.tsx'
import { type Reason, reasonsFor } from '../core/reasons.ts'

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

const filters = [
  {
    label: 'States',
    name: 'state',
    values: { waiting: 'Not opened', open: 'Open', three_d_secure: '3-D Secure', closed: 'Over' },
  },
]

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

export function CheckoutState({ of: { state, status, reason, expires_at } }: { of: Checkout }) {
  if (state === 'closed')
    return reason ? <Pill tone="bad">{reason.replaceAll('_', ' ')}</Pill> : <Status of={status} />
  const what = state === 'three_d_secure' ? '3-D Secure' : state === 'open' ? 'open' : 'waits'
  return (
    <Pill tone="wait">
      {expires_at === null ? what : `${what} ${countdown(Date.parse(expires_at) - (worldNow.value ?? 0))}`}
    </Pill>
  )
}

export function CheckoutDetail({
  of,
  reference,
  loading,
}: {
  of: Checkout | undefined
  reference: string
  loading: boolean
}) {
  if (!of)
    return <Missing title="Checkout not found" words={`${reference} is not in the list.`} loading={loading} />
  const name = of.external_reference || of.reference
  return (
    <div class="stack-cards">
      <Article title={name} actions={<CheckoutState of={of} />}>
        <Facts
          of={[
            ['Amount', money(of.amount, of.currency)],
            ['Payment', <a href={hrefOf('tx', name)}>its timeline</a>],
            ['Opened', of.opened_at ? <Time at={of.opened_at} /> : 'not yet'],
            ['Waits until', of.expires_at && <Time at={of.expires_at} />],
            [
              'Page',
              <a href={of.url} target="_blank" rel="noopener noreferrer">
                <Said>{of.url}</Said>
              </a>,
            ],
          ]}
        />
        {of.cards.length > 0 && <Cards of={of} />}
        {of.state !== 'closed' && <Answers key={of.id} of={of} />}
      </Article>
      <RealPhone href={of.url} what="this page" />
    </div>
  )
}

const Cards = ({ of: { cards, card_attempts_left, state } }: { of: Checkout }) => (
  <section class="part" aria-label="Cards tried">
    <h3>Cards tried</h3>
    <ul class="plain-list">
      {cards.map(({ brand, last4, outcome, reason, at }, n) => (
        <li key={n} class="line">
          <span>
            {brand} <span class="num">…{last4}</span> <Time at={at} />
          </span>
          <Pill tone={outcome === 'approved' ? 'good' : outcome === 'challenged' ? 'wait' : 'bad'}>
            {(reason ?? outcome).replaceAll('_', ' ')}
          </Pill>
        </li>
      ))}
    </ul>
    {state !== 'closed' && <p class="soft small">{card_attempts_left} more can be tried.</p>}
  </section>
)

/** Actions of the payer without opening the page. */
function Answers({ of }: { of: Checkout }) {
  const { checkout_request_id: id, rail, state, expires_at } = of
  const send = (body: RespondToCheckoutRequest, done: string) =>
    void act(async ({ transport }) => {
      await transport.ask('POST', `/sandbox/checkouts/${encodeURIComponent(id)}/respond`, { body })
      return done
    })
  const answer = (title: string, body: RespondToCheckoutRequest, done: string, kind?: 'main') => (
    <Button {...(kind && { kind })} onClick={() => send(body, done)}>
      {title}
    </Button>
  )
  const expire = () =>
    void act(async ({ client }) => {
      await client.clock.advance(new Date(expires_at!))
      return "The page has expired; the world's clock was advanced."
    })
  return (
    <section class="part" aria-label="What its payer does">
      <h3>Act as the payer</h3>
      <div class="row">
        {state === 'three_d_secure' ? (
          <>
            {answer('Pass 3-D Secure', { three_d_secure: 'pass' }, '3-D Secure passed.', 'main')}
            {answer('Fail it', { three_d_secure: 'fail' }, '3-D Secure failed.')}
          </>
        ) : (
          answer('Approve', { pay: true }, 'Payment submitted.', 'main')
        )}
        {state === 'waiting' && answer('Open', { open: true }, 'The page is open for ten minutes.')}
        {answer('Cancel', { cancel: true }, 'The payer cancelled.')}
        <Button disabled={expires_at === null} onClick={expire}>
          Let it expire
        </Button>
      </div>
      {rail === 'card' ? (
        state !== 'three_d_secure' && <TypeCard send={send} />
      ) : (
        <Decline id={id} rail={rail} />
      )}
    </section>
  )
}

/** Far in the future for all tests. */
const EXPIRY = '12/49'

function TypeCard({ send }: { send: (body: RespondToCheckoutRequest, done: string) => void }) {
  const { client, world } = session.value!
  const { value: cards = [] } = useValue<readonly TestCard[]>(() => client.checkouts.testCards(), [world])
  const type = (number: string) => {
    const { cvc_digits = 3 } = cards.find((card) => card.number === number) ?? {}
    send({ card: { number, expiry: EXPIRY, cvc: '1234'.slice(0, cvc_digits) } }, 'Card submitted.')
  }
  return (
    <PickButton
      label="Test card"
      options={cards.map(({ number, brand, title }) => [number, `${brand} …${number.slice(-4)}: ${title}`])}
      action="Type it"
      disabled={cards.length === 0}
      onPick={type}
    />
  )
}

const Decline = ({ id, rail }: { id: string; rail: string }) => (
  <PickButton
    label="Reason"
    options={reasonsFor(rail, 'payin').map((each) => [each, each.replaceAll('_', ' ')])}
    action="Decline"
    onPick={(reason) =>
      void act(async ({ client }) => {
        await client.transactions.simulate(id, { outcome: 'failed', reason: reason as Reason })
        return 'Declined.'
      })
    }
  />
)
