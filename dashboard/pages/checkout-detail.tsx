import { useState } from 'preact/hooks'
import type { RespondToCheckoutRequest, Checkout, TestCard } from '../../src/client/types.ts'
import { act, busy } from '../core/actions.ts'
import { countdown } from '../core/durations.ts'
import { money } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { worldNow } from '../core/world-clock.ts'
import { Article, Button, Facts, Pill, Said, Status, Time } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'
import { RealPhone } from '../parts/real-phone.tsx'
import { type Reason, reasonsFor } from '../core/reasons.ts'

/** The state of a checkout with its remaining time. */
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

/** One checkout page: address, QR code, and actions of its payer. */
export function CheckoutDetail({ of, reference }: { of: Checkout | undefined; reference: string }) {
  if (!of)
    return (
      <Empty icon="search" title="Checkout not found">
        <p>
          <Said>{reference}</Said> is none of those that are listed.
        </p>
      </Empty>
    )
  const name = of.external_reference || of.reference
  return (
    <div class="stack-cards">
      <Article title={name} actions={<CheckoutState of={of} />}>
        <Facts
          of={[
            ['Amount', money(of.amount, of.currency)],
            ['Payment', <a href={hrefOf('tx', name)}>its timeline</a>],
            ['Opened', of.opened_at ? <Time at={of.opened_at} /> : 'not yet'],
            ...(of.expires_at ? [['Waits until', <Time at={of.expires_at} />] as const] : []),
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
            <Button
              kind="main"
              disabled={busy.value}
              onClick={() => send({ three_d_secure: 'pass' }, '3-D Secure passed.')}
            >
              Pass 3-D Secure
            </Button>
            <Button
              disabled={busy.value}
              onClick={() => send({ three_d_secure: 'fail' }, '3-D Secure failed.')}
            >
              Fail it
            </Button>
          </>
        ) : (
          <Button kind="main" disabled={busy.value} onClick={() => send({ pay: true }, 'Payment submitted.')}>
            Approve
          </Button>
        )}
        {state === 'waiting' && (
          <Button
            disabled={busy.value}
            onClick={() => send({ open: true }, 'The page is open for ten minutes.')}
          >
            Open
          </Button>
        )}
        <Button disabled={busy.value} onClick={() => send({ cancel: true }, 'The payer cancelled.')}>
          Cancel
        </Button>
        <Button disabled={busy.value || expires_at === null} onClick={expire}>
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
  const [number, setNumber] = useState('')
  const chosen = cards.find((card) => card.number === number) ?? cards[0]
  if (!chosen) return null
  const cvc = '1234'.slice(0, chosen.cvc_digits)
  return (
    <span class="joined">
      <select
        aria-label="Test card"
        value={chosen.number}
        onChange={({ currentTarget }) => setNumber(currentTarget.value)}
      >
        {cards.map(({ number, brand, title }) => (
          <option key={number} value={number}>
            {brand} …{number.slice(-4)}: {title}
          </option>
        ))}
      </select>
      <Button
        disabled={busy.value}
        onClick={() => send({ card: { number: chosen.number, expiry: EXPIRY, cvc } }, 'Card submitted.')}
      >
        Type it
      </Button>
    </span>
  )
}

function Decline({ id, rail }: { id: string; rail: string }) {
  const [reason, setReason] = useState<Reason>('insufficient_funds')
  const decline = () =>
    void act(async ({ client }) => {
      await client.transactions.simulate(id, { outcome: 'failed', reason })
      return 'Declined.'
    })
  return (
    <span class="joined">
      <select
        aria-label="Reason"
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value as Reason)}
      >
        {reasonsFor(rail, 'payin').map((each) => (
          <option key={each} value={each}>
            {each.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      <Button disabled={busy.value} onClick={decline}>
        Decline
      </Button>
    </span>
  )
}
