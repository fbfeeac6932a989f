import type { Incident, IncidentList } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Article, Button, Pill, Said, Time } from '../parts/bits.tsx'
import { Split } from '../parts/list-page.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'

const tones = { stopped: 'plain', running: 'bad', over: 'good', next: 'plain', in_force: 'bad' } as const
const State = ({ of }: { of: keyof typeof tones }) => <Pill tone={tones[of]}>{of.replace('_', ' ')}</Pill>

const columns: readonly Column<Incident>[] = [
  {
    title: 'Incident',
    is: 'main',
    cell: ({ name, title }) => (
      <>
        <a href={hrefOf('incidents', name)}>
          <Said>{name}</Said>
        </a>{' '}
        <span class="soft">
          <Said>{title}</Said>
        </span>
      </>
    ),
  },
  { title: 'State', is: 'state', cell: ({ state }) => <State of={state} /> },
]

const start = (name: string) =>
  act(async ({ client }) => {
    await client.incident(name)
    return `The incident ${name} runs.`
  })
const step = (name: string) =>
  act(async ({ client }) => {
    const { next_at } = await client.incidents.step(name)
    return next_at === null ? `The incident ${name} is over.` : `The incident ${name} is at its next step.`
  })
const stop = (name: string) =>
  act(async ({ client }) => {
    await client.incidents.stop(name)
    return `The incident ${name} is stopped.`
  })

/** Published incidents that apply to all payments of the world, with their timelines. */
export function Incidents() {
  const { world, transport } = session.value!
  const { value, error, again } = useValue(
    () => transport.ask<IncidentList>('GET', '/sandbox/incidents'),
    [world],
    ['scenario', 'clock'],
  )
  const run = (work: Promise<boolean>) => void work.then((done) => done && again())
  const open = value?.incidents.find(({ name }) => name === thing.value)
  return (
    <Split
      title="Incidents"
      list={
        <>
          <header class="head">
            <h1>Incidents</h1>
          </header>
          <p class="soft">
            An incident applies to all payments of this world while it runs: from your tests, from the
            dashboard, and from <code>payments-sandbox traffic</code>.
          </p>
          <section class="card list" aria-label="Incidents">
            {value ? (
              <Table
                label="Incidents"
                items={value.incidents}
                columns={columns}
                keyOf={({ name }) => name}
                href={({ name }) => hrefOf('incidents', name)}
                chosen={thing.value}
              />
            ) : (
              <NotThere state={error ? 'failed' : 'loading'} error={error} retry={again} />
            )}
          </section>
        </>
      }
      detail={
        open ? <Detail of={open} run={run} /> : value && <Empty icon="search" title="Incident not found" />
      }
    />
  )
}

interface DetailProps {
  readonly of: Incident
  readonly run: (work: Promise<boolean>) => void
}

function Detail({
  of: { name, title, summary, sources, state, started_at, next_at, entries },
  run,
}: DetailProps) {
  return (
    <Article
      title={name}
      label={name}
      beside={<State of={state} />}
      actions={
        <>
          {' '}
          {state === 'running' && (
            <>
              <Button disabled={busy.value || next_at === null} onClick={() => run(step(name))}>
                Next step
              </Button>
              <Button disabled={busy.value} onClick={() => run(stop(name))}>
                Stop
              </Button>
            </>
          )}
          {state !== 'running' && (
            <Button kind="main" disabled={busy.value} onClick={() => run(start(name))}>
              Start
            </Button>
          )}
        </>
      }
    >
      <div class="in-card">
        <p>
          <strong>
            <Said>{title}</Said>
          </strong>
        </p>
        <p>
          <Said>{summary}</Said>
        </p>
        {started_at !== null && (
          <p class="soft">
            Started at <Time at={started_at} />
            {next_at !== null && (
              <>
                , next change at <Time at={next_at} />
              </>
            )}
          </p>
        )}
      </div>
      <ol class="in-card" aria-label="Timeline, from the start of the incident">
        {entries.map(({ at, until, what, state: of }) => (
          <li key={`${at} ${what}`}>
            <span class="num">{until === null ? at : `${at} to ${until}`}</span> <State of={of} />{' '}
            <Said>{what}</Said>
          </li>
        ))}
      </ol>
      {sources.length > 0 && (
        <ul class="in-card soft" aria-label="Sources">
          {sources.map((source) => (
            <li key={source}>
              <Said>{source}</Said>
            </li>
          ))}
        </ul>
      )}
    </Article>
  )
}
