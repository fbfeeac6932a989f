import type { Incident } from '../../src/generated/control/types.ts'
import { act } from '../core/actions.ts'
import { listOf, useList, wholeResource } from '../core/resource.ts'
import { hrefOf, thing } from '../core/route.ts'
import { session, type Session } from '../core/session.ts'
import { Article, Button, Pill, Said, Time } from '../parts/bits.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Loading, Missing } from '../parts/list-states.tsx'
import type { Column } from '../parts/table.tsx'

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

const incidents = wholeResource<Incident>(
  async () => (await session.peek()!.client.call('listIncidents')).incidents,
  ['scenario', 'clock'],
)

const steer = (work: (client: Session['client']) => Promise<string>) =>
  void act(async ({ client }) => {
    const done = await work(client)
    void listOf(incidents).load()
    return done
  })
const start = (name: string) =>
  steer(async (client) => {
    await client.incident(name)
    return `The incident ${name} runs.`
  })
const step = (name: string) =>
  steer(async (client) => {
    const { next_at } = await client.incidents.step(name)
    return next_at === null ? `The incident ${name} is over.` : `The incident ${name} is at its next step.`
  })
const stop = (name: string) =>
  steer(async (client) => {
    await client.incidents.stop(name)
    return `The incident ${name} is stopped.`
  })

/** Published incidents that apply to all payments of the world, with their timelines. */
export function Incidents() {
  const list = useList(incidents)
  const open = list.items.value.find(({ name }) => name === thing.value)
  return (
    <ListPage
      title="Incidents"
      noun="incident"
      order="by name"
      list={list}
      columns={columns}
      keyOf={({ name }) => name}
      href={({ name }) => hrefOf('incidents', name)}
      chosen={thing.value}
      empty={<Loading />}
      above={
        <p class="soft">
          An incident applies to all payments of this world while it runs: from your tests, from the
          dashboard, and from <code>payments-sandbox traffic</code>.
        </p>
      }
      detail={
        open ? (
          <Detail of={open} />
        ) : (
          <Missing
            title="Incident not found"
            words={`${thing.value} is none of them.`}
            loading={list.state.value !== 'there'}
          />
        )
      }
    />
  )
}

function Detail({
  of: { name, title, summary, sources, state, started_at, next_at, entries },
}: {
  of: Incident
}) {
  return (
    <Article
      title={name}
      label={name}
      beside={<State of={state} />}
      actions={
        <>
          {state === 'running' && (
            <>
              <Button disabled={next_at === null} onClick={() => step(name)}>
                Next step
              </Button>
              <Button onClick={() => stop(name)}>Stop</Button>
            </>
          )}
          {state !== 'running' && (
            <Button kind="main" onClick={() => start(name)}>
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
