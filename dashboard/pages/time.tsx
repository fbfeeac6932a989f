import type { Job, JobPage } from '../../src/generated/control/types.ts'
import { advance, freezeOrResume, setSpeed, settle } from '../core/actions.ts'
import { dialog } from '../core/dialogs.ts'
import { counted, dayOf, timeOf } from '../core/format.ts'
import { axisOf } from '../core/lanes.ts'
import { useList, wholeResource } from '../core/resource.ts'
import { hrefOf, route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { readClock } from '../core/store.ts'
import { lasting } from '../core/times.ts'
import { ahead, clock, worldNow } from '../core/world-clock.ts'
import { Button, Card, ChipButton, Pill, Said, TimeOfDay } from '../parts/bits.tsx'
import { TextForm } from '../parts/form.tsx'
import { Elsewhere, Leaps } from '../parts/leaps.tsx'
import { type Filter, ListPage } from '../parts/list-page.tsx'
import { Empty, Loading } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useEffect } from 'preact/hooks'

const speeds = [1, 10, 60, 3_600]

export function ClockPage() {
  useEffect(readClock, [])
  if (!clock.value) return <Loading />
  return (
    <>
      <header class="head">
        <h1>Clock</h1>
        <div class="actions">
          <Button keys="a" onClick={() => (dialog.value = 'advance')}>
            Advance to…
          </Button>
          <Button
            kind="main"
            icon={clock.value.frozen ? 'play' : 'pause'}
            keys="f"
            onClick={() => void freezeOrResume()}
          >
            {clock.value.frozen ? 'Resume' : 'Freeze'}
          </Button>
        </div>
      </header>
      <div class="clock-cards">
        <div class="stack-cards">
          <Face />
          <Steer />
        </div>
        <section class="card steer" aria-label="Advance">
          <h2>Advance</h2>
          <Leaps />
        </section>
      </div>
      <Owed />
    </>
  )
}

function Face() {
  const now = worldNow.value!
  const off = ahead.value
  const { frozen, speed } = clock.value!
  return (
    <section class="card face" aria-label="World time">
      <p class="soft">World time</p>
      <time class="num" dateTime={new Date(now).toISOString()}>
        {timeOf(now)}
      </time>
      <p>
        {dayOf(now, 0)}{' '}
        {frozen ? (
          <Pill tone="wait">frozen</Pill>
        ) : speed === 1 ? (
          <Pill tone="good">real time</Pill>
        ) : (
          <Pill tone="info">{speed.toLocaleString('en')} times as fast</Pill>
        )}
      </p>
      <p class="soft small">
        {Math.abs(off) < 2_000
          ? 'The same as real time.'
          : `${lasting(Math.abs(off))} ${off > 0 ? 'ahead of' : 'behind'} real time.`}
      </p>
      <Elsewhere />
    </section>
  )
}

function Steer() {
  const { speed, frozen } = clock.value!
  return (
    <section class="card steer" aria-label="Speed">
      <h2>Speed</h2>
      <div class="chips">
        {speeds.map((each) => (
          <ChipButton key={each} pressed={!frozen && speed === each} onClick={() => void setSpeed(each)}>
            × {each.toLocaleString('en')}
          </ChipButton>
        ))}
        <TextForm
          label="Other speed"
          placeholder="× …"
          inputMode="decimal"
          action="Set"
          needs="change"
          send={(text) => setSpeed(Number(text))}
        />
      </div>
    </section>
  )
}

/** Rows of the page of the clock, failing jobs first; the page of jobs has all. */
const NEXT = 8

function Owed() {
  const { scheduled } = clock.value!
  const all = useList(jobs).items.value
  return (
    <Card
      title="Pending jobs"
      beside={<Pill tone={scheduled > 0 ? 'wait' : 'plain'}>{counted(scheduled, 'job')}</Pill>}
      actions={
        <>
          <a class="button" href={hrefOf('jobs')}>
            All jobs
          </a>
          <Button keys="s" disabled={scheduled === 0} onClick={() => void settle()}>
            Run all now
          </Button>
        </>
      }
    >
      {all.length > 0 ? (
        <>
          <Axis of={all} />
          <Table
            label="Next jobs, soonest first"
            items={[...all.filter(({ error }) => error), ...all.filter(({ error }) => !error)].slice(0, NEXT)}
            columns={columns}
            keyOf={({ id }) => id}
            href={hrefTo}
            date={({ due_at }) => due_at}
          />
        </>
      ) : (
        <p class="in-card soft">No pending jobs: no open payments and no callbacks to retry.</p>
      )}
    </Card>
  )
}

const MOST = 500

const jobs = wholeResource<Job>(
  async (query) => {
    const { transport } = session.peek()!
    return (await transport.ask<JobPage>('GET', '/sandbox/jobs', { query: { limit: MOST, ...query } })).jobs
  },
  ['transaction', 'callback', 'attempt', 'kyc', 'channel', 'clock', 'scenario', 'settings', 'prompt'],
)

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

const leftOf = ({ due_at }: Job) => Date.parse(due_at) - (worldNow.value ?? 0)

const filters: readonly Filter[] = [
  {
    label: 'Kinds',
    name: 'kind',
    values: { settle: 'Settlements', callback: 'Callbacks', review: 'Reviews' },
  },
  { label: 'State', name: 'state', values: { abandoned: 'failed for good' }, all: 'every state' },
]

const columns: readonly Column<Job>[] = [
  { title: 'Due', is: 'time', cell: ({ due_at }) => <TimeOfDay at={due_at} /> },
  { title: 'In', rank: 1, cell: (job) => <Left of={job} /> },
  {
    title: 'Job',
    is: 'main',
    cell: (job) => (
      <>
        {words[job.kind] ?? job.kind} <About of={job} />
      </>
    ),
  },
  {
    title: 'Outcome',
    rank: 2,
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
    title: 'Action',
    is: 'state',
    cell: ({ due_at, abandoned }) =>
      abandoned ? (
        <Pill tone="bad">failed for good</Pill>
      ) : (
        <Button onClick={() => void advance(new Date(due_at))}>Advance to it</Button>
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
  const { state, kind } = route.value.query
  const list = useList(jobs, { state, kind })
  const all = list.items.value
  return (
    <ListPage
      title="Jobs"
      noun="job"
      order="soonest first"
      list={list}
      columns={columns}
      href={hrefTo}
      date={({ due_at }) => due_at}
      filters={filters}
      total={clock.value?.scheduled}
      above={
        all.length > 0 &&
        state === undefined && (
          <Card
            title="From now on"
            label="When they are due"
            beside={<span class="soft actions">by the world's clock</span>}
          >
            <Axis of={all} />
          </Card>
        )
      }
      actions={
        <Button keys="s" disabled={all.length === 0} onClick={() => void settle()}>
          Run all now
        </Button>
      }
      empty={
        <Empty icon="jobs" title="No pending jobs">
          <p>
            No open payments and no callbacks to retry. This page lists future jobs: settlements, attempts,
            reviews, expiring pages.
          </p>
        </Empty>
      }
    />
  )
}

const Axis = ({ of }: { of: readonly Job[] }) => {
  const { ticks, dues } = axisOf(of, leftOf)
  return (
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
  )
}
