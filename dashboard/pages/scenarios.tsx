import type { Scenario } from '../../src/client/types.ts'
import { counted } from '../core/format.ts'
import { useKeys } from '../core/hooks.ts'
import { listKeys } from '../core/keys.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { grouped } from '../core/scenario-files.ts'
import { change, decidedBy, isOwn, scenarioList, scenarios } from '../core/scenarios.ts'
import { session } from '../core/session.ts'
import { Button, Card, Pill } from '../parts/bits.tsx'
import { FilterField, Split, setQuery } from '../parts/list-page.tsx'
import { Empty, NotThere, atNeed } from '../parts/list-states.tsx'
import { ScenarioDetail, ScenarioState } from './scenario-detail.tsx'
import { useEffect, useMemo } from 'preact/hooks'

const Editor = atNeed(async () => (await import('./scenario-editor.tsx')).ScenarioEditor)

export function Scenarios() {
  useEffect(() => scenarioList.use(), [session.value!.world])
  const [name, rest] = (thing.value ?? '').split(/\/(.*)/s)
  if (thing.value === 'new') return <Editor name={undefined} key="new" />
  if (rest === 'edit') return <Editor name={name} key={name} />
  return <Gallery />
}

const toNew = () => go(hrefOf('scenarios', 'new'))

function Gallery() {
  const { show, text = '' } = route.value.query
  const word = text.toLowerCase()
  const all = scenarios.value
  const shown = useMemo(
    () =>
      all.filter(
        (it) =>
          (show === undefined || (show === 'on' ? it.on || it.queued > 0 : isOwn(it))) &&
          `${it.name} ${it.title} ${it.outcome} ${it.ending ?? ''}`.toLowerCase().includes(word),
      ),
    [all, show, word],
  )
  useKeys([{ keys: 'c', what: 'New scenario', group: 'Open item', run: toNew }], [])
  return (
    <Split
      title="Scenarios"
      detail={<ScenarioDetail name={thing.value ?? ''} />}
      list={
        <>
          <header class="head">
            <h1>Scenarios</h1>
            <div class="actions">
              <Filter text={text} />
              <Button needs="read" kind="main" icon="plus" keys="c" onClick={toNew}>
                New scenario
              </Button>
            </div>
          </header>
          <OnNow />
          <FilterField label="Which" name="show" values={{ on: 'On or queued', own: 'Custom' }} />
          {all.length === 0 ? (
            <NotThere
              state={scenarioList.state.value === 'there' ? 'loading' : scenarioList.state.value}
              error={scenarioList.error.value}
              retry={() => void scenarioList.load()}
            />
          ) : shown.length === 0 ? (
            <NoneFits all={all.length} own={show === 'own'} />
          ) : (
            <Groups of={shown} />
          )}
        </>
      }
    />
  )
}

function Filter({ text }: { text: string }) {
  return (
    <input
      type="search"
      aria-label="Filter by name, outcome or number"
      placeholder="Name, outcome, number"
      value={text}
      onInput={({ currentTarget: { value } }) => setQuery('text', value)}
    />
  )
}

const NoneFits = ({ all, own }: { all: number; own: boolean }) => (
  <section class="card">
    <Empty icon="search" title={own ? 'No custom scenarios' : 'No scenarios match'}>
      <p>
        {own
          ? 'Write one, or edit a built-in one. It only applies to this world.'
          : 'Test numbers always work: with 0700000002 the payer cancels.'}
      </p>
      <div class="row">
        {own && (
          <Button needs="read" kind="main" icon="plus" onClick={toNew}>
            New scenario
          </Button>
        )}
        <Button needs="read" onClick={() => go(hrefOf('scenarios'))}>
          Show all {counted(all, 'scenario')}
        </Button>
      </div>
    </Empty>
  </section>
)

function OnNow() {
  const on = scenarios.value.filter((it) => it.on || it.queued > 0)
  if (on.length === 0) return null
  return (
    <Card
      title="On in this world"
      actions={
        <Button onClick={() => void change((client) => allOff(client, on), 'None enabled or queued.')}>
          Switch all off
        </Button>
      }
    >
      <ul class="plain-list">
        {on.map((scenario) => {
          const decided = decidedBy(scenario.name)
          return (
            <li key={scenario.name} class="line">
              <span>
                <a href={hrefOf('scenarios', scenario.name)}>
                  <bdi>{scenario.title}</bdi>
                </a>{' '}
                <span class="soft">
                  {decided.length === 0
                    ? 'not used yet'
                    : `used by ${counted(decided.length, 'request')}, the last `}
                  {decided[0] && <a href={hrefOf('requests', decided[0].id)}>{decided[0].id}</a>}
                </span>
              </span>
              <span class="row">
                <ScenarioState of={scenario} />
                {scenario.on && (
                  <Button
                    onClick={() =>
                      void change((client) => client.scenarios.off(scenario.name), 'Turned off.')
                    }
                  >
                    Switch off
                  </Button>
                )}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** Keeps the world's default files, which a reset would delete. */
async function allOff(client: NonNullable<typeof session.value>['client'], on: readonly Scenario[]) {
  const own = scenarios.peek().some(isOwn)
  if (!own) return client.scenarios.reset()
  for (const { name, on: isOn } of on) if (isOn) await client.scenarios.off(name)
}

function Groups({ of: shown }: { of: readonly Scenario[] }) {
  useEffect(() => {
    const move = (by: number) => {
      const links = [...document.querySelectorAll<HTMLElement>('.tiles a.tile-name')]
      const active = links.findIndex(
        (link) =>
          link === document.activeElement || (document.activeElement === document.body && link.ariaCurrent),
      )
      links[Math.min(links.length - 1, Math.max(0, active + by))]?.focus()
    }
    listKeys.move = move
    return () => {
      if (listKeys.move === move) listKeys.move = undefined
    }
  })
  return (
    <>
      {grouped(shown).map(([title, those]) => (
        <section key={title} aria-label={title} class="tile-group">
          <h2>
            {title} <span class="soft">{those.length}</span>
          </h2>
          <ul class="tiles">
            {those.map((scenario) => (
              <Tile key={scenario.name} of={scenario} />
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

const Tile = ({ of: scenario }: { of: Scenario }) => (
  <li class="card tile" aria-current={thing.value === scenario.name ? 'true' : undefined}>
    <a
      class="tile-name"
      href={hrefOf('scenarios', scenario.name, route.value.query)}
      aria-current={thing.value === scenario.name ? 'true' : undefined}
    >
      <bdi>{scenario.title}</bdi>
    </a>
    <p class="soft small">{scenario.outcome}</p>
    <p class="tile-foot">
      {scenario.ending === null ? (
        <span class="soft small">by name</span>
      ) : (
        <span class="soft small">
          numbers that end in <code>{scenario.ending}</code>
        </span>
      )}
      {isOwn(scenario) && <Pill tone="info">own</Pill>}
      <ScenarioState of={scenario} />
    </p>
  </li>
)
