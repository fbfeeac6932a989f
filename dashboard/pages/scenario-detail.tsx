import type { Scenario } from '../../src/client/types.ts'
import type { QueueScenarioRequest } from '../../src/generated/control/types.ts'
import { copy, undoable } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { counted } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { go, hrefOf, route } from '../core/route.ts'
import { change, decidedBy, isOwn, readTestValues, scenarioList, scenarios } from '../core/scenarios.ts'
import { session } from '../core/session.ts'
import { Article, Button, ChipButton, Code, Facts, IconButton, Pill, Said, Time } from '../parts/bits.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { Missing, atNeed } from '../parts/list-states.tsx'
import { useState } from 'preact/hooks'
import schema from 'schema:queueScenario?times'

const TryScenario = atNeed(async () => (await import('./scenario-try.tsx')).TryScenario)

export const ScenarioState = ({ of: { on, queued } }: { of: Scenario }) =>
  on ? <Pill tone="good">on</Pill> : queued > 0 ? <Pill tone="wait">next {queued}</Pill> : null

export const editorOf = (name: string) => `${hrefOf('scenarios', name)}/edit`

export function ScenarioDetail({ name }: { name: string }) {
  const scenario = scenarios.value.find((each) => each.name === name)
  if (!scenario)
    return (
      <Missing
        title="Scenario not found"
        words="It was deleted, or its name is another; the list has those that there are."
        loading={scenarios.value.length === 0}
      />
    )
  const { title, summary, outcome, conditions, source, operations } = scenario
  return (
    <Article
      title={title}
      beside={<ScenarioState of={scenario} />}
      actions={
        <Button needs="read" onClick={() => go(editorOf(name))}>
          {isOwn(scenario) ? 'Edit' : 'Change it here'}
        </Button>
      }
    >
      {summary && (
        <p class="in-card soft">
          <Said>{summary}</Said>
        </p>
      )}
      <Facts
        of={[
          ['Outcome', <Said>{outcome || 'nothing special'}</Said>],
          [
            'For',
            operations.length > 6 ? `all ${operations.length} operations it fits` : operations.join(', '),
          ],
          ['When', conditions.length === 0 ? 'asked for by name' : <Said>{conditions.join('; ')}</Said>],
          ['From', source],
        ]}
      />
      <Ways of={scenario} />
      <Switches of={scenario} />
      <Steps name={name} />
      <section class="part">
        <h3>Try it</h3>
        <TryScenario name={name} key={name} />
      </section>
      <Did name={name} />
    </Article>
  )
}

/** The numbers, values and headers that trigger a scenario. */
function Ways({ of: { name, ending, outcome, operations } }: { of: Scenario }) {
  const { value: { numbers, cards } = { numbers: [], cards: [] } } = useValue(readTestValues, [])
  const known = numbers.find(({ scenario }) => scenario === name)
  const reason = /^fails \((\w+)\)/.exec(outcome)?.[1]
  const card = operations.includes('createGlobalPayment')
    ? cards.find((it) => it.reason === reason)
    : undefined
  const local = known?.numbers.find(({ country }) => country === 'KE')?.local
  const ways = [
    ...(local && !name.startsWith('kyc') ? [['Phone to dial', local] as const] : []),
    ...(card ? [['Test card', card.number] as const] : []),
    ...(known && operations.includes('createWithdrawal')
      ? [['Bank account', known.account] as const, ['Paybill or till', known.short_code] as const]
      : []),
    ['Header', `Prefer: scenario=${name}`] as const,
  ]
  return (
    <section class="part">
      <h3>For one request</h3>
      <ul class="ways">
        {ways.map(([what, value]) => (
          <li key={what}>
            <span class="soft">{what}</span>
            <code>{value}</code>
            <IconButton
              needs="read"
              icon="copy"
              label={`Copy: ${what}`}
              onClick={() => void copy(value, what)}
            />
          </li>
        ))}
      </ul>
      {ending !== null && local && operations.includes('createCollection') && (
        <div class="row">
          <Button icon="plus" onClick={() => newPayment({ phone: local })}>
            Pay from {local}
          </Button>
        </div>
      )}
    </section>
  )
}

function Switches({ of: { name, on, queued, source } }: { of: Scenario }) {
  const [asked, setAsked] = useState(false)
  return (
    <section class="part">
      <h3>For this world</h3>
      <div class="row">
        <Button
          pressed={on}
          onClick={() =>
            void change(
              (client) => (on ? client.scenarios.off(name) : client.scenarios.on(name)),
              on ? 'Turned off.' : 'It is on: every request that fits meets it.',
            )
          }
        >
          {on ? 'Switch off' : 'Switch on'}
        </Button>
        <Form<QueueScenarioRequest>
          of={schema}
          fields={{ times: { label: 'How many of the next requests' } }}
          initial={{ times: 1 }}
          class="row"
          row
          action={queued > 0 ? `Queue more, ${queued} now` : 'Queue for the next'}
          send={({ times = 1 }) =>
            change(
              (client) => client.scenarios.next(name, times),
              `Decides the next ${times === 1 ? 'matching request' : `${times} matching requests`}.`,
            )
          }
        />
        {source === 'this world' && (
          <Button kind="danger" onClick={() => setAsked(true)}>
            Delete…
          </Button>
        )}
      </div>
      {asked && <DeleteScenario name={name} close={() => setAsked(false)} />}
    </section>
  )
}

export const DeleteScenario = ({ name, close }: { name: string; close: () => void }) => (
  <Confirm
    title="Delete this scenario?"
    words={`The file ${name} of this world goes. If the sandbox comes with one of that name, that one counts again.`}
    action="Delete"
    run={() =>
      void undoable(async ({ client }) => {
        const file = await client.scenarios.source(name)
        // First, because the page would read the deleted scenario when the event of its deletion arrives.
        go(hrefOf('scenarios'))
        await client.scenarios.delete(name)
        void scenarioList.load()
        return {
          text: `${name} deleted.`,
          async undo({ client: own }) {
            await own.scenarios.put(name, file)
            await scenarioList.load()
            return `${name} is back.`
          },
        }
      })
    }
    close={close}
  />
)

function Steps({ name }: { name: string }) {
  const { client, world } = session.value!
  const { value, again } = useValue(
    () => client.scenarios.state(name),
    [world, name],
    ['scenario', 'request'],
  )
  if (!value || value.steps === 0) return null
  const steps = Array.from({ length: value.steps }, (_, n) => n + 1)
  return (
    <section class="part">
      <h3>Steps</h3>
      <p class="soft">
        {value.used === 0
          ? 'It has decided no request yet.'
          : `It has decided ${counted(value.used, 'request')}.`}{' '}
        {value.step === null
          ? 'It has stepped aside.'
          : `The next gets step ${value.step} of ${value.steps}.`}
      </p>
      <div class="chips" role="group" aria-label="The next request gets">
        {steps.map((step) => (
          <ChipButton
            key={step}
            pressed={value.step === step}
            onClick={() =>
              void change(
                (api) => api.scenarios.setStep(name, step),
                `The next request gets step ${step}.`,
              ).then(again)
            }
          >
            Step {step}
          </ChipButton>
        ))}
      </div>
    </section>
  )
}

const SHOWN = 5

/** Requests that the scenario decided, as far as this window knows. */
function Did({ name }: { name: string }) {
  const decided = decidedBy(name)
  if (decided.length === 0) return null
  return (
    <section class="part">
      <h3>Met {counted(decided.length, 'request')}</h3>
      <ul class="ways">
        {decided.slice(0, SHOWN).map(({ id, reference, status, at }) => (
          <li key={id}>
            <Time at={at} />
            <a href={hrefOf('requests', id)}>{id}</a>
            <span>
              {reference && (
                <a href={hrefOf('tx', reference)}>
                  <Said>{reference}</Said>
                </a>
              )}
            </span>
            <Code status={status || null} />
          </li>
        ))}
      </ul>
      {decided.length > SHOWN && <a href={hrefOf('requests', undefined, route.value.query)}>All requests</a>}
    </section>
  )
}
