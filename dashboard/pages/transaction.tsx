import type { SimulateTransactionRequest, Timeline } from '../../src/generated/control/types.ts'
import { act, copy } from '../core/actions.ts'
import { money, partyOf } from '../core/format.ts'
import { lanesOf } from '../core/lanes.ts'
import { type Reason, reasonsFor } from '../core/reasons.ts'
import { rails } from '../core/names.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { type Transaction, transactionOf } from '../core/store.ts'
import { lasting } from '../core/times.ts'
import { Button, Card, PickButton, Said, Status } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Loading, atNeed } from '../parts/list-states.tsx'
import { StoryList } from './activity.tsx'

const CallbackDetail = atNeed(async () => (await import('./callback-detail.tsx')).CallbackDetail)

export function TransactionPage({ reference }: { reference: string }) {
  // Any event may concern the transaction.
  const { value, error, loading } = useValue(
    async () => {
      const { transactions } = session.peek()!.client
      const [timeline, { transaction }] = await Promise.all([
        transactions.timeline(reference),
        transactions.get(reference),
      ])
      return { timeline, row: transactionOf(transaction) }
    },
    [reference],
    ({ type }) => type !== 'request',
  )
  if (error)
    return (
      <>
        <Way reference={reference} />
        <Empty icon="search" title={`Payment ${reference} not found`}>
          <p>{error}</p>
        </Empty>
      </>
    )
  if (!value) return loading ? <Loading /> : null
  const { timeline, row } = value
  const called = timeline.events.findLast(({ callback }) => callback !== null)?.callback
  return (
    <>
      <Way reference={reference} status={timeline.status} row={row} />
      <Summary of={row} trace={timeline.trace_id} />
      <LanesCard of={timeline} />
      <div class="halves">
        <Story of={timeline} />
        <div class="stack-cards">
          <Endings
            reference={timeline.transaction}
            status={timeline.status}
            reasons={reasonsFor(row.rail, row.direction)}
          />
          {called !== undefined && called !== null && <CallbackDetail id={called} />}
        </div>
      </div>
    </>
  )
}

interface WayProps {
  readonly reference: string
  readonly status?: string
  readonly row?: Transaction | undefined
}

const Way = ({ reference, status, row }: WayProps) => (
  <header class="head">
    <a href={hrefOf('tx')} class="way">
      <Icon name="left" />
      Payments
    </a>
    <h1 class="mono one-line">
      <Said>{reference}</Said>
    </h1>
    {status && <Status of={status} />}
    {row?.reason && <span class="soft">{row.reason.replaceAll('_', ' ')}</span>}
    <div class="actions">
      <Button needs="read" icon="copy" keys="y" onClick={() => void copy(location.href, 'Link')}>
        Copy link
      </Button>
    </div>
  </header>
)

interface SummaryProps {
  readonly of: Transaction
  /** The trace id of its request. */
  readonly trace: string | undefined
}

const Summary = ({ of: row, trace }: SummaryProps) => (
  <dl class="card summary">
    {(
      [
        ['Amount', money(row.amount, row.currency), 'num big'],
        ['Cost', money(row.cost, row.currency), 'num'],
        [row.direction === 'payout' ? 'To' : 'From', partyOf(row)],
        ['Method', `${rails[row.rail]}, ${row.provider}`],
        ['Team', String(row.account_id)],
        ['Service reference', row.reference, 'mono'],
        ['Receipt', row.provider_reference, 'mono'],
        ['Trace', trace, 'mono'],
      ] as const
    ).map(
      ([name, value, look]) =>
        value && (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={look}>
              <Said>{value}</Said>
            </dd>
          </div>
        ),
    )}
  </dl>
)

function LanesCard({ of: { events, planned } }: { of: Timeline }) {
  const { moments, lanes, ahead = moments.length } = lanesOf(events, planned)
  const columns = `max-content repeat(${moments.length}, minmax(max-content, 1fr))`
  return (
    <Card
      title="Timeline"
      beside={<span class="soft actions num">{lasting(moments[ahead - 1] ?? 0)} of world time</span>}
    >
      <div class="lanes-scroll" tabIndex={0} role="region" aria-label="Lanes of the timeline">
        <div class="lanes" style={{ gridTemplateColumns: columns }}>
          <span class="lane-name" style={{ gridRow: 1, gridColumn: 1 }} />
          {moments.map((moment, n) => (
            <span
              key={moment}
              class={`moment num ${n < ahead ? '' : 'planned'}`}
              style={{ gridRow: 1, gridColumn: n + 2 }}
            >
              {n === 0 ? '0 s' : `+${lasting(moment)}`}
            </span>
          ))}
          {lanes.map(({ name, marks }, lane) => (
            <Lane key={name} name={name} row={lane + 2} columns={moments.length}>
              {moments.map((_, column) => {
                const here = marks.filter(({ from }) => from === column)
                if (here.length === 0) return null
                const to = Math.max(...here.map((mark) => mark.to))
                return (
                  <span
                    key={column}
                    class="marks"
                    style={{ gridRow: lane + 2, gridColumn: `${column + 2} / ${to + 3}` }}
                  >
                    {here.map(({ tone, text, title, lasts, planned: not }) => (
                      <b
                        key={text}
                        class={`mark ${tone} ${lasts ? 'long' : ''} ${not ? 'planned' : ''}`}
                        title={title}
                      >
                        {text}
                      </b>
                    ))}
                  </span>
                )
              })}
            </Lane>
          ))}
        </div>
      </div>
    </Card>
  )
}

interface LaneProps {
  readonly name: string
  readonly row: number
  readonly columns: number
  readonly children: unknown
}

const Lane = ({ name, row, columns, children }: LaneProps) => (
  <>
    <span class="lane-line" style={{ gridRow: row, gridColumn: `1 / ${columns + 2}` }} />
    <span class="lane-name" style={{ gridRow: row, gridColumn: 1 }}>
      {name}
    </span>
    {children as never}
  </>
)

const Story = ({ of }: { of: Timeline }) => (
  <Card title="Story">
    <StoryList of={of} />
  </Card>
)

export function Endings({
  reference,
  status,
  reasons,
}: {
  reference: string
  status: string
  reasons: readonly Reason[]
}) {
  const end = (how: SimulateTransactionRequest, done: string) =>
    void act(async ({ client }) => {
      await client.transactions.simulate(reference, how)
      return done
    })
  if (status === 'SUCCESS')
    return (
      <section class="card endings" aria-label="Next steps">
        <p class="soft">
          The payment succeeded. The operator may still reverse it, which sends a second callback.
        </p>
        <Button onClick={() => end({ outcome: 'reversed' }, 'Reversed.')}>Reverse it</Button>
      </section>
    )
  if (status !== 'QUEUED') return null
  return (
    <section class="card endings" aria-label="Settle">
      <p class="soft">The payment waits for its payer. Settle it now:</p>
      <div class="row">
        <Button kind="main" onClick={() => end({ outcome: 'success' }, 'Succeeded.')}>
          Succeed
        </Button>
        <PickButton
          label="Reason"
          options={reasons.map((each) => [each, each.replaceAll('_', ' ')])}
          action="Fail"
          onPick={(reason) => end({ outcome: 'failed', reason: reason as Reason }, 'Failed.')}
        />
      </div>
    </section>
  )
}
