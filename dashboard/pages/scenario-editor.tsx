import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ScenarioCheck, ScenarioIssue } from '../../src/generated/control/types.ts'
import { act } from '../core/actions.ts'
import { wordsOf } from '../core/api.ts'
import { counted } from '../core/format.ts'
import { usePaused } from '../core/hooks.ts'
import { go, hrefOf } from '../core/route.ts'
import { scenarioDraft } from '../core/dialogs.ts'
import { isOwn, scenarioList, scenarios } from '../core/scenarios.ts'
import { type Schema, mendOf } from '../core/yaml.ts'
import { session } from '../core/session.ts'
import { changes } from '../core/store.ts'
import { Button, Card, Pill } from '../parts/bits.tsx'
import { CodeField, type CodeFieldProps } from '../parts/code-field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Loading } from '../parts/list-states.tsx'
import { DeleteScenario, editorOf } from './scenario-detail.tsx'
import { TryScenario } from './scenario-try.tsx'

/** Milliseconds without typing before the text is checked. */
const PAUSE = 250

const BEGUN = `title: The payer cancels after eight seconds
when:
  operation: createCollection
  amount: { gte: 5000 }
then:
  settle: { after: 8s, status: failed, reason: cancelled }
expect:
  request: { operation: createCollection, body: { amount: 5000 } }
  response: 201
  status: failed
  reason: cancelled
  callbacks: [failed]
`

interface Draft {
  readonly text: string
  /** The version the draft started from, to detect changes by others. */
  readonly base: string
}

/** Unsaved drafts by world and name, kept until the window closes. */
const drafts = new Map<string, Draft>()
const schema = signal<Schema | undefined>()

async function readSchema() {
  if (schema.peek()) return
  try {
    schema.value = await session.peek()!.transport.ask<Schema>('GET', '/sandbox/scenario.schema.json')
  } catch {
    // Without the schema there is no completion.
  }
}

/** Edits a scenario file and checks it while typing. @param name - undefined for a new one */
export function ScenarioEditor({ name }: { name: string | undefined }) {
  const { client, world } = session.value!
  const key = `${world} ${name ?? ''}`
  const [draft, setDraft] = useState<Draft | undefined>(drafts.get(key))
  const [theirs, setTheirs] = useState<string>()
  const [failed, setFailed] = useState('')
  const keep = (next: Draft) => {
    if (next.text === next.base) drafts.delete(key)
    else drafts.set(key, next)
    setDraft(next)
  }
  useEffect(() => {
    void readSchema()
    if (name !== undefined) return
    const begun = scenarioDraft.peek()
    scenarioDraft.value = undefined
    if (begun !== undefined) keep({ text: begun, base: '' })
    else if (!draft) setDraft({ text: BEGUN, base: BEGUN })
  }, [])
  useEffect(() => {
    if (name === undefined) return
    client.scenarios.source(name).then(
      (text) => {
        const mine = drafts.get(key)
        if (!mine || mine.text === text) keep({ text, base: text })
        else if (mine.base !== text) setTheirs(text)
      },
      (error: unknown) => setFailed(wordsOf(error)),
    )
  }, [changes.value['scenario'], changes.value['reset']])
  if (failed && !draft)
    return (
      <Empty icon="search" title="There is no such scenario" page>
        <p>{failed}</p>
        <Button needs="read" onClick={() => go(hrefOf('scenarios'))}>
          All scenarios
        </Button>
      </Empty>
    )
  if (!draft) return <Loading />
  return (
    <Writing
      name={name}
      text={draft.text}
      changed={name === undefined || draft.text !== draft.base}
      write={(text) => keep({ ...draft, text })}
      saved={(as) => {
        drafts.delete(key)
        setTheirs(undefined)
        setDraft({ text: draft.text, base: draft.text })
        void scenarioList.load()
        if (as !== name) go(editorOf(as), { replace: true })
      }}
      theirs={theirs}
      take={(text) => {
        setTheirs(undefined)
        keep({ text, base: text })
      }}
      back={() => keep({ text: draft.base || BEGUN, base: draft.base || BEGUN })}
    />
  )
}

interface WritingProps {
  readonly name: string | undefined
  readonly text: string
  readonly changed: boolean
  readonly write: (text: string) => void
  readonly saved: (name: string) => void
  /** A version that someone else saved in the meantime. */
  readonly theirs: string | undefined
  readonly take: (text: string) => void
  readonly back: () => void
}

function Writing({ name, text, changed, write, saved, theirs, take, back }: WritingProps) {
  const [called, setCalled] = useState(name ?? '')
  const [asked, setAsked] = useState(false)
  const jump: CodeFieldProps['jump'] = useRef(undefined)
  const check = useCheck(text, called)
  const known = scenarios.value.find((each) => each.name === called)
  const save = () =>
    act(async ({ client }) => {
      await client.scenarios.put(called, text)
      saved(called)
      return 'It is saved, and counts from the next request on.'
    })
  const mayBeSaved = changed && called !== '' && check?.valid === true
  return (
    <div class="editor">
      <header class="head">
        <a class="way" href={hrefOf('scenarios', name)}>
          <Icon name="left" />
          Scenarios
        </a>
        <h1>{name === undefined ? 'New scenario' : <bdi>{name}</bdi>}</h1>
        {name !== undefined && changed && <Pill tone="wait">not saved</Pill>}
        <div class="actions">
          {changed && name !== undefined && (
            <Button needs="read" onClick={back}>
              Discard
            </Button>
          )}
          {known && isOwn(known) && (
            <Button kind="danger" onClick={() => setAsked(true)}>
              Delete…
            </Button>
          )}
          <Button kind="main" disabled={!mayBeSaved} onClick={() => void save()}>
            Save
          </Button>
        </div>
      </header>
      {asked && <DeleteScenario name={called} close={() => setAsked(false)} />}
      {theirs !== undefined && theirs !== text && (
        <p class="bar-note wait" role="status">
          <span>Somebody else saved this file meanwhile.</span>
          <Button needs="read" onClick={() => take(theirs)}>
            Use their version
          </Button>
        </p>
      )}
      {known && !isOwn(known) && (
        <p class="soft">
          {name === undefined
            ? `${called} is a built-in scenario. Your version will replace it in this world.`
            : 'This is a built-in scenario. Your version replaces it in this world until you delete it.'}
        </p>
      )}
      {name === undefined && <NameField called={called} setCalled={setCalled} />}
      <div class="editor-cards">
        <section class="card" aria-label="The file">
          <CodeField
            label={`The file of ${called || 'the scenario'}, YAML`}
            text={text}
            onInput={write}
            onSave={() => void (mayBeSaved && save())}
            issues={check?.issues ?? []}
            schema={schema.value}
            jump={jump}
          />
          <p class="in-card soft small field-keys">
            Tab indents, Esc and then Tab leaves; Ctrl Space completes, Ctrl S saves.
          </p>
        </section>
        <div class="stack-cards">
          <Mistakes
            check={check}
            show={({ line, column }) => jump.current?.(line, column)}
            fix={(from, to, word) => write(text.slice(0, from) + word + text.slice(to))}
            text={text}
          />
          {name !== undefined && (
            <Card title="Try it">
              <div class="in-card">
                {changed ? <p class="soft">Save the file first.</p> : <TryScenario name={name} />}
              </div>
            </Card>
          )}
        </div>
      </div>
    </div>
  )
}

const NameField = ({ called, setCalled }: { called: string; setCalled: (name: string) => void }) => (
  <label class="name-field">
    Name
    <input
      value={called}
      placeholder="payer-cancels-late"
      maxLength={100}
      autocomplete="off"
      spellcheck={false}
      aria-describedby="name-rule"
      onInput={({ currentTarget }) => setCalled(currentTarget.value)}
    />
    <span class="soft small" id="name-rule">
      Lower-case words joined by hyphens; requests ask for it by this name.
    </span>
  </label>
)

/** The sandbox's check of a text, after a pause in typing. */
function useCheck(text: string, name: string): ScenarioCheck | undefined {
  const { scenarios } = session.value!.client
  const check = (): Promise<ScenarioCheck> =>
    scenarios.check(text, name || undefined).catch((error: unknown) => ({
      valid: false,
      more: 0,
      issues: [{ line: 1, column: 1, message: wordsOf(error) }],
    }))
  return usePaused(check, PAUSE, [text, name])
}

interface MistakesProps {
  readonly check: ScenarioCheck | undefined
  readonly text: string
  readonly show: (issue: ScenarioIssue) => void
  readonly fix: (from: number, to: number, word: string) => void
}

function Mistakes({ check, text, show, fix }: MistakesProps) {
  const { issues = [], more = 0 } = check ?? {}
  const many = issues.length + more
  return (
    <Card
      title="Mistakes"
      beside={
        <>
          {' '}
          <span role="status" class="heard">
            {check === undefined ? (
              <span class="soft">looking…</span>
            ) : check.valid ? (
              <Pill tone="good">none</Pill>
            ) : (
              <>
                <Pill tone="bad">{counted(many, 'mistake')}</Pill>
                <span class="unseen">
                  the first in line {issues[0]?.line}: {issues[0]?.message}
                </span>
              </>
            )}
          </span>
        </>
      }
    >
      {issues.length > 0 && (
        <ul class="plain-list mistakes">
          {issues.map((issue, n) => {
            const better = mendOf(text, issue)
            return (
              <li key={n}>
                <p class="mistake">
                  <Button needs="read" kind="quiet" title="Open" onClick={() => show(issue)}>
                    {issue.line}:{issue.column}
                  </Button>
                  <bdi>{issue.message}</bdi>
                </p>
                {better && (
                  <Button needs="read" onClick={() => fix(better.from, better.to, better.word)}>
                    Write {better.word}
                  </Button>
                )}
              </li>
            )
          })}
          {more > 0 && <li class="soft">and {more} more</li>}
        </ul>
      )}
    </Card>
  )
}
