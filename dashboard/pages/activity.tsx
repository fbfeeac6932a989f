import type { Job, OverviewCallback, OverviewPayment, Timeline } from '../../src/generated/control/types.ts'
import { advance } from '../core/actions.ts'
import { money, partyOf, timeOf } from '../core/format.ts'
import { withAccountNames } from '../core/names.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { happenings } from '../core/store.ts'
import { lasting } from '../core/times.ts'
import { worldNow } from '../core/world-clock.ts'
import { Button, Card, FoldButton, Pill, Said, Status, Time } from '../parts/bits.tsx'
import { describeEvent } from '../parts/describe-event.ts'
import { Icon } from '../parts/icon.tsx'
import { Loading } from '../parts/list-states.tsx'
import { useState } from 'preact/hooks'

/** Maximum number of events shown between the payments. */
const MOST_EVENTS = 50
/** Maximum number of events searched for them. */
const MOST_READ = 1_000
/** A time within a summary. */
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** One line per payment and per other event, newest first. */
export function Activity({ of }: { of: readonly OverviewPayment[] }) {
  const [open, setOpen] = useState<string>()
  const oldest = of.at(-1)?.transaction.created_at ?? ''
  const events = happenings.value
    .slice(0, MOST_READ)
    .flatMap((each) => {
      const told = describeEvent(each)
      return told && (each.at >= oldest || of.length === 0) ? [{ ...told, at: each.at, n: each.n }] : []
    })
    .slice(0, MOST_EVENTS)
  const payments = of.map((payment) => ({ at: payment.transaction.created_at, payment }))
  const lines = [...payments, ...events].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  return (
    <Card title="Activity" actions={<a href={hrefOf('tx')}>All payments</a>}>
      <ul class="feed">
        {lines.map((line) =>
          'payment' in line ? (
            <Payment
              key={line.payment.transaction.id}
              of={line.payment}
              open={open === line.payment.transaction.reference}
              toggle={(on) => setOpen(on ? line.payment.transaction.reference : undefined)}
            />
          ) : (
            <li key={`event ${line.n}`}>
              <div class="feed-line">
                <Icon name={line.icon} />
                <Time at={line.at} />
                <span class="feed-name">
                  {line.leads ? <a href={hrefOf(...line.leads)}>{line.what}</a> : line.what}
                </span>
                <span class="feed-about soft">
                  <Said>{line.about}</Said>
                </span>
                <span class="feed-state">
                  {line.state && <Pill tone={line.state[0]}>{line.state[1]}</Pill>}
                </span>
              </div>
            </li>
          ),
        )}
      </ul>
    </Card>
  )
}

interface PaymentProps {
  readonly of: OverviewPayment
  readonly open: boolean
  readonly toggle: (on: boolean) => void
}

function Payment({ of: { transaction, callbacks }, open, toggle }: PaymentProps) {
  const { reference, external_reference, amount, direction, status, reason, created_at } = transaction
  const name = external_reference || reference
  return (
    <li class={open ? 'open' : ''}>
      <div
        class="feed-line"
        onClick={(event) => (event.target as Element).closest('a, button') || toggle(!open)}
      >
        <FoldButton open={open} label={`Steps of ${name}`} onClick={() => toggle(!open)} />
        <Time at={created_at} />
        <span class="feed-name">
          <a href={hrefOf('tx', name)}>
            <Said>{name}</Said>
          </a>
        </span>
        <span class="feed-about soft num">
          <Said>{partyOf(transaction)}</Said>
        </span>
        <Dots of={callbacks} />
        <span class="feed-amount num">
          {direction === 'payout' ? '−' : ''}
          {money(amount.amount, amount.currency)}
        </span>
        <span class="feed-state">
          {reason && <span class="soft small wide-only">{reason.replaceAll('_', ' ')}</span>}
          <Status of={status} />
        </span>
      </div>
      {open && <Steps reference={reference} />}
    </li>
  )
}

function Dots({ of }: { of: readonly OverviewCallback[] }) {
  const dots = of.flatMap(({ state, attempts }) => [
    ...attempts.map(({ status }) => ({
      tone: status !== null && status >= 200 && status < 300 ? 'good' : 'bad',
      text: status === null ? 'no response' : String(status),
    })),
    ...(state === 'pending'
      ? [{ tone: 'open', text: attempts.length === 0 ? 'to be sent' : 'to be retried' }]
      : []),
  ])
  if (dots.length === 0) return <span class="dots" />
  const said = `Callback: ${dots.map(({ text }) => text).join(', ')}`
  return (
    <span class="dots" role="img" aria-label={said} title={said}>
      {dots.map(({ tone }, n) => (
        <i key={n} class={tone} />
      ))}
    </span>
  )
}

function Steps({ reference }: { reference: string }) {
  const { value, error } = useValue(
    () => session.peek()!.client.transactions.timeline(reference),
    [reference],
    ['transaction', 'attempt', 'callback', 'posting'],
  )
  if (error) return <p class="wrong in-card">{error}</p>
  return value ? <StoryList of={value} /> : <Loading />
}

export const StoryList = ({ of: { events, planned } }: { of: Timeline }) => (
  <ol class="story">
    {events.map(({ at, kind, summary, callback, request }, n) => (
      <li key={`${at} ${n}`}>
        <Time at={at} precise />
        <span class={`kind ${kind}`} aria-hidden="true" />
        <span>
          <Said>{withAccountNames(summary).replace(TIME, (at) => timeOf(new Date(at)))}</Said>
        </span>
        {request !== null ? (
          <a href={hrefOf('requests', request)}>{request}</a>
        ) : callback !== null ? (
          <a href={hrefOf('callbacks', callback)}>callback {callback}</a>
        ) : null}
      </li>
    ))}
    {planned.map((job) => (
      <Planned key={job.id} of={job} />
    ))}
  </ol>
)

function Planned({ of: { due_at, kind, callback, outcome, error, abandoned } }: { of: Job }) {
  const left = Date.parse(due_at) - (worldNow.value ?? 0)
  const what =
    callback === null ? outcome || kind.replaceAll('_', ' ') : `next attempt of callback ${callback}`
  return (
    <li class="planned">
      <Time at={due_at} precise />
      <span class="kind" aria-hidden="true" />
      <span>
        {abandoned ? 'given up: ' : left > 0 ? `in ${lasting(left)}: ` : 'due: '}
        <Said>{error ? `${what}, ${error}` : what}</Said>
      </span>
      {left > 0 && !abandoned && (
        <Button kind="quiet" onClick={() => void advance(new Date(due_at))}>
          Advance to it
        </Button>
      )}
    </li>
  )
}
