import { computed, signal } from '@preact/signals'
import type { Scenario } from '../../src/client/types.ts'
import { act, busy } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { counted } from '../core/format.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { changes } from '../core/store.ts'
import { useRead } from '../core/use-read.ts'
import { Button, Facts, Pill } from '../parts/bits.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, Loading, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'

/** Counts up when this window switched or queued one. */
const switched = signal(0)

const all = signal<readonly Scenario[]>([])

const shown = computed(() => {
  const { show, text = '' } = route.value.query
  const word = text.toLowerCase()
  return all.value.filter(
    (it) =>
      (show === undefined || (show === 'on' ? it.on || it.queued > 0 : it.source.startsWith('world'))) &&
      `${it.name} ${it.title} ${it.outcome}`.toLowerCase().includes(word),
  )
})

const hrefTo = ({ name }: Scenario) => hrefOf('scenarios', name, route.value.query)

/** Whether it is on, and for how many requests it is queued. */
const State = ({ of: { on, queued } }: { of: Scenario }) =>
  on ? <Pill tone="good">on</Pill> : queued > 0 ? <Pill tone="wait">next {queued}</Pill> : null

const columns: readonly Column<Scenario>[] = [
  {
    title: 'Scenario',
    cell: (scenario) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefTo(scenario)}>
            <bdi>{scenario.title}</bdi>
          </a>
        </span>
        <span class="below one-line">{scenario.outcome}</span>
      </span>
    ),
  },
  {
    title: 'What comes of it',
    wide: true,
    width: '42%',
    cell: ({ outcome }) => <span class="soft">{outcome}</span>,
  },
  {
    title: 'Dial',
    wide: true,
    width: '7rem',
    cell: ({ magic }) => (magic === null ? '' : <code>…{magic}</code>),
  },
  { title: 'State', width: '6rem', right: true, cell: (scenario) => <State of={scenario} /> },
]

export function Scenarios() {
  const { query } = route.value
  const { error, loading, again } = useRead(
    async () => {
      all.value = await session.peek()!.client.scenarios.list()
      return true
    },
    [session.value!.world],
    [switched.value, changes.value['scenario'], changes.value['reset'], changes.value['request']],
  )
  const on = all.value.filter((it) => it.on || it.queued > 0)
  return (
    <Split
      title="Scenarios"
      detail={<Detail name={thing.value ?? ''} />}
      list={
        <>
          <header class="head">
            <h1>Scenarios</h1>
            <div class="actions">
              <input
                type="search"
                aria-label="Filter by name or outcome"
                placeholder="Name, outcome"
                value={query['text'] ?? ''}
                onInput={({ currentTarget: { value } }) => {
                  const { text: _before, ...others } = query
                  go(hrefOf('scenarios', thing.value, value ? { ...others, text: value } : others), {
                    replace: true,
                  })
                }}
              />
              {on.length > 0 && (
                <Button
                  disabled={busy.value}
                  onClick={() =>
                    void change((client) => client.scenarios.reset(), 'None is on, none is queued.')
                  }
                >
                  Switch all off
                </Button>
              )}
            </div>
          </header>
          <section class="card" aria-label="Scenarios">
            <header class="bar">
              <FilterChips
                label="Which"
                name="show"
                values={{ on: 'On or queued', own: "This world's own" }}
              />
            </header>
            {all.value.length === 0 ? (
              loading ? (
                <Loading />
              ) : (
                <NotThere state="failed" error={error} retry={again} />
              )
            ) : shown.value.length === 0 ? (
              <Empty icon="search" title="No scenario fits">
                <p>While none is on, a number does it: dial 0700000002 and the payer cancels.</p>
                <Button needs="read" onClick={() => go(hrefOf('scenarios'))}>
                  Show all {counted(all.value.length, 'scenario')}
                </Button>
              </Empty>
            ) : (
              <Rows
                label="Scenarios, by name"
                items={shown.value}
                columns={columns}
                keyOf={({ name }) => name}
                href={hrefTo}
                chosen={thing.value}
              />
            )}
          </section>
        </>
      }
    />
  )
}

type Client = NonNullable<typeof session.value>['client']

const change = (work: (client: Client) => Promise<void>, done: string) =>
  act(async ({ client }) => {
    await work(client)
    switched.value++
    return done
  })

/** One scenario: when it happens, and the ways to have it happen. */
function Detail({ name }: { name: string }) {
  const scenario = all.value.find((each) => each.name === name)
  if (!scenario)
    return all.value.length === 0 ? (
      <Loading />
    ) : (
      <Empty icon="search" title="There is no such scenario">
        <p>The list has those that there are.</p>
      </Empty>
    )
  const { title, summary, outcome, conditions, magic, on, queued, source, operations } = scenario
  const phone = magic === null ? undefined : `0700000${magic}`
  return (
    <article class="card">
      <header class="bar">
        <h2>{title}</h2>
        <State of={scenario} />
      </header>
      {summary && <p class="in-card soft">{summary}</p>}
      <Facts
        of={[
          ['Name', <code>{name}</code>],
          ['Outcome', outcome],
          ['For', operations.join(', ')],
          ['When', conditions.length === 0 ? 'asked for by name' : <>{conditions.join('; ')}</>],
          ['By a header', <code>Prefer: scenario={name}</code>],
          ['From', source],
        ]}
      />
      <section class="part">
        <h3>Have it happen</h3>
        <div class="row">
          <Button
            disabled={busy.value}
            pressed={on}
            onClick={() =>
              void change(
                (client) => (on ? client.scenarios.off(name) : client.scenarios.on(name)),
                on ? 'It is off.' : 'It is on: every request that fits meets it.',
              )
            }
          >
            {on ? 'Switch off' : 'Switch on'}
          </Button>
          <Button
            disabled={busy.value}
            onClick={() =>
              void change((client) => client.scenarios.next(name), 'The next request that fits meets it.')
            }
          >
            {queued > 0 ? `Queue one more, ${queued} now` : 'Queue for the next'}
          </Button>
          {phone && operations.includes('createCollection') && (
            <Button icon="plus" onClick={() => newPayment({ phone_number: phone })}>
              Pay from {phone}
            </Button>
          )}
        </div>
      </section>
    </article>
  )
}
