import type { Job, JobPage } from '../../src/generated/control/types.ts'
import { advance, busy, settle } from '../core/actions.ts'
import { axisOf } from '../core/axis.ts'
import { lasting } from '../core/durations.ts'
import { counted } from '../core/format.ts'
import { hrefOf, route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { changes } from '../core/store.ts'
import { useCalm } from '../core/use-calm.ts'
import { useRead } from '../core/use-read.ts'
import { worldNow } from '../core/world-clock.ts'
import { Button, Pill, Said, Time } from '../parts/bits.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'

/** Maximum number of jobs shown. */
const MOST = 500

const words: { readonly [kind: string]: string } = {
  settle: 'Settle',
  review: 'Review KYC',
  expire: 'Expire',
  expire_offline: 'Expire',
  unanswered: 'Expire the prompt',
  later: 'Change the result',
  channel: 'Switch channel',
  incident: 'Incident',
  callback: 'Send',
}

const kinds = { settle: 'Settlements', callback: 'Callbacks', review: 'Reviews' }

const leftOf = ({ due_at }: Job) => Date.parse(due_at) - (worldNow.value ?? 0)

const columns: readonly Column<Job>[] = [
  { title: 'Due', width: 'var(--time)', cell: ({ due_at }) => <Time at={due_at} /> },
  { title: 'In', wide: true, width: '9rem', cell: (job) => <Left of={job} /> },
  {
    title: 'What',
    cell: (job) => (
      <span class="stack">
        <span class="one-line">
          {words[job.kind] ?? job.kind} <About of={job} />
        </span>
        <span class="below one-line">
          <Left of={job} /> <Said>{job.error || job.outcome}</Said>
        </span>
      </span>
    ),
  },
  {
    title: 'Outcome',
    wide: true,
    width: '26%',
    cell: ({ outcome, error, attempts, blocked_by }) =>
      error ? (
        <span class="wrong" title={error}>
          <Said>{error}</Said>
        </span>
      ) : blocked_by !== null ? (
        <span class="soft">waits for callback {blocked_by}</span>
      ) : outcome ? (
        <Said>{outcome}</Said>
      ) : attempts > 0 ? (
        <span class="soft">attempt {attempts + 1}</span>
      ) : null,
  },
  {
    title: 'To do',
    width: '9.5rem',
    right: true,
    cell: ({ due_at, abandoned }) =>
      abandoned ? (
        <Pill tone="bad">failed for good</Pill>
      ) : (
        <Button disabled={busy.value} onClick={() => void advance(new Date(due_at))}>
          Advance to it
        </Button>
      ),
  },
]

function Left({ of }: { of: Job }) {
  const left = leftOf(of)
  return <span class="num soft">{left > 0 ? `in ${lasting(left)}` : 'due now'}</span>
}

const hrefTo = ({ callback, transaction }: Job) =>
  callback !== null
    ? hrefOf('callbacks', callback)
    : transaction !== null
      ? hrefOf('tx', transaction)
      : undefined

function About({ of }: { of: Job }) {
  const { callback, transaction, kyc, channel } = of
  const href = hrefTo(of)
  if (href === undefined) return <span class="num">{kyc ?? channel}</span>
  return (
    <a href={href}>
      <bdi class={callback === null ? 'mono' : ''}>
        {callback === null ? transaction : `callback ${callback}`}
      </bdi>
    </a>
  )
}

/** Pending jobs in the order they fall due. */
export function Jobs() {
  const { world, transport } = session.value!
  const { state, kind } = route.value.query
  const { request: _, ...others } = changes.value
  const news = useCalm(Object.values(others).reduce((sum, each) => Math.max(sum, each), 0))
  const { value, error, again } = useRead(
    () => transport.ask<JobPage>('GET', '/sandbox/jobs', { query: { limit: MOST, state, kind } }),
    [world, state, kind],
    [news],
  )
  return (
    <>
      <header class="head">
        <h1>Jobs</h1>
        <div class="actions">
          <Button keys="s" disabled={!value?.total || busy.value} onClick={() => void settle()}>
            Run all now
          </Button>
        </div>
      </header>
      {value && value.jobs.length > 0 && state === undefined && <Axis of={value.jobs} />}
      <section class="card" aria-label="Jobs">
        <header class="bar">
          <FilterChips label="Kinds" name="kind" values={kinds} />
          <a
            class="chip"
            href={hrefOf('jobs', undefined, state === undefined ? { state: 'abandoned' } : {})}
            aria-current={state === undefined ? undefined : 'true'}
          >
            Failed for good
          </a>
          {value && <span class="soft actions num">{counted(value.total, 'job')}</span>}
        </header>
        {!value ? (
          <NotThere state={error ? 'failed' : 'loading'} error={error} retry={again} />
        ) : value.jobs.length > 0 ? (
          <Rows
            label="Jobs, soonest first"
            items={value.jobs}
            columns={columns}
            keyOf={({ id }) => id}
            href={hrefTo}
          />
        ) : (
          <Nothing filtered={state !== undefined || kind !== undefined} />
        )}
      </section>
      {value?.next_after && <p class="soft">The {MOST} that are due first.</p>}
    </>
  )
}

/** A chart of the list. */
function Axis({ of }: { of: readonly Job[] }) {
  const { ticks, dues } = axisOf(of, leftOf)
  return (
    <section class="card" aria-label="When they are due">
      <header class="bar">
        <h2>From now on</h2>
        <span class="soft actions">by the world's clock</span>
      </header>
      <div class="axis" aria-hidden="true">
        {ticks.map(({ words: tick, at }) => (
          <span key={tick} class="tick num" style={{ left: `${at}%` }}>
            {tick}
          </span>
        ))}
        {dues.map(({ at, items }) => (
          <span
            key={items[0]!.id}
            class={`due num ${items.some(({ error }) => error) ? 'bad' : items[0]!.kind === 'callback' ? 'wait' : 'info'}`}
            style={{ left: `${at}%` }}
            title={items
              .slice(0, 5)
              .map((job) => `${words[job.kind] ?? job.kind} ${job.callback ?? job.transaction ?? ''}`)
              .join(', ')}
          >
            {items.length}
          </span>
        ))}
      </div>
    </section>
  )
}

const Nothing = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <Empty icon="search" title="No jobs match">
      <a class="button" href={hrefOf('jobs')}>
        Show all
      </a>
    </Empty>
  ) : (
    <Empty icon="jobs" title="No pending jobs">
      <p>
        No open payments and no callbacks to retry. This page lists future jobs: settlements, attempts,
        reviews, expiring pages.
      </p>
    </Empty>
  )
