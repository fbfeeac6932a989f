import { useEffect } from 'preact/hooks'
import { busy, freezeOrResume, setSpeed, settle } from '../core/actions.ts'
import { dialog } from '../core/dialogs.ts'
import { lasting } from '../core/times.ts'
import { counted, dayOf, timeOf } from '../core/format.ts'
import { hrefOf } from '../core/route.ts'
import { readClock } from '../core/store.ts'
import { ahead, clock, worldNow } from '../core/world-clock.ts'
import type { ScheduledWork } from '../../src/generated/control/types.ts'
import { Button, Card, ChipButton, Pill, Time } from '../parts/bits.tsx'
import { Elsewhere, Leaps } from '../parts/leaps.tsx'
import { TextForm } from '../parts/form.tsx'
import { Loading } from '../parts/list-states.tsx'

const speeds = [1, 10, 60, 3_600]

/** The world's clock and its pending jobs. */
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
      <Failing />
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
          <ChipButton
            key={each}
            pressed={!frozen && speed === each}
            disabled={busy.value}
            onClick={() => void setSpeed(each)}
          >
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

function Owed() {
  const { scheduled, next } = clock.value!
  return (
    <Card
      title="Pending jobs"
      beside={<Pill tone={scheduled > 0 ? 'wait' : 'plain'}>{counted(scheduled, 'job')}</Pill>}
      actions={
        <>
          <a class="button" href={hrefOf('jobs')}>
            All jobs
          </a>
          <Button keys="s" disabled={scheduled === 0 || busy.value} onClick={() => void settle()}>
            Run all now
          </Button>
        </>
      }
    >
      {next ? (
        <p class="in-card">
          Next: <WorkName of={next} /> at <Time at={next.due_at} />
          <Left until={next.due_at} />
        </p>
      ) : (
        <p class="in-card soft">No pending jobs: no open payments and no callbacks to retry.</p>
      )}
    </Card>
  )
}

function Left({ until }: { until: string }) {
  const left = Date.parse(until) - worldNow.value!
  return left > 0 ? <span class="soft num">, in {lasting(left)}</span> : null
}

/** A job with a link to its subject. */
const WorkName = ({
  of: { kind, transaction, callback },
}: {
  of: Pick<ScheduledWork, 'kind' | 'transaction' | 'callback'>
}) => (
  <>
    {kind.replaceAll('_', ' ')}
    {callback !== null ? (
      <>
        {' '}
        of <a href={hrefOf('callbacks', callback)}>callback {callback}</a>
      </>
    ) : (
      transaction !== null && (
        <>
          {' '}
          of{' '}
          <a href={hrefOf('tx', transaction)}>
            <bdi>{transaction}</bdi>
          </a>
        </>
      )
    )}
  </>
)

function Failing() {
  const { failing } = clock.value!
  if (failing.length === 0) return null
  return (
    <Card title="Failing jobs" beside={<Pill tone="bad">{failing.length}</Pill>}>
      <ul class="plain-list">
        {failing.map((each) => (
          <li key={`${each.kind} ${each.transaction} ${each.callback}`}>
            <WorkName of={each} />
            <span class="soft">
              {each.error}; failed {counted(each.failures, 'time')}
              {each.next_attempt_at && (
                <>
                  , again at <Time at={each.next_attempt_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
