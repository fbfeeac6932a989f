import { useId, useState } from 'preact/hooks'
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'
import { type Draft, type Target, textOf, valueAt, valueOf, withValue } from '../core/draft.ts'
import type { Host } from '../core/host.ts'
import { useRun } from '../core/run.ts'
import { FieldInput } from './field-input.tsx'
import { MayNot } from './may-not.tsx'
import { RunShown } from './outcome.tsx'
import { outcomesOf } from './values.tsx'

interface TryItProps {
  readonly host: Host
  readonly sheet: ShownSheet
  readonly draft: Draft
  readonly target: Target
  readonly change: (draft: Draft) => void
}

/** A form to edit and send a request, with its result. */
export function TryIt({ host, sheet, draft, target, change }: TryItProps) {
  const { run, start } = useRun(host, sheet)
  const [fault, setFault] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (sheet.mayTry && fault === '') void start(draft, target)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Choices sheet={sheet} draft={draft} change={change} />
      {sheet.parameters.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          text={draft.parameters[field.name] ?? ''}
          change={(text) => change({ ...draft, parameters: { ...draft.parameters, [field.name]: text } })}
        />
      ))}
      {sheet.body && <Body sheet={sheet} draft={draft} change={change} fault={fault} setFault={setFault} />}
      <p class="row">
        <button type="submit" class="send" disabled={!sheet.mayTry || fault !== '' || run.step === 'sending'}>
          Send
        </button>
        <MayNot sheet={sheet} server={host.server} />
      </p>
      <RunShown run={run} />
    </form>
  )
}

type Part = Pick<TryItProps, 'sheet' | 'draft' | 'change'>

/** Selects an example or an outcome. */
function Choices({ sheet, draft, change }: Part) {
  const outcomes = outcomesOf(sheet)
  const chosen = outcomes.find(({ field, value }) => valueAt(draft.body, field.name) === value)
  const byName = (name: string) => {
    const example = sheet.examples.find((each) => each.name === name)
    if (example) change({ ...draft, body: example.value })
  }
  const byOutcome = (scenario: string) => {
    const outcome = outcomes.find((each) => each.scenario === scenario)
    const field = outcome?.field ?? chosen?.field
    if (field) change({ ...draft, body: withValue(draft.body, field.name, outcome?.value ?? field.example) })
  }
  return (
    <>
      {sheet.examples.length > 1 && (
        <Choice
          label="Begin with"
          value=""
          choose={byName}
          options={[
            ['', 'an example…'],
            ...sheet.examples.map(({ name, title, status }) => [name, `${status} ${title}`] as const),
          ]}
        />
      )}
      {outcomes.length > 0 && (
        <Choice
          label="Outcome"
          value={chosen?.scenario ?? ''}
          choose={byOutcome}
          options={[['', 'as usual'], ...outcomes.map(({ scenario, title }) => [scenario, title] as const)]}
        />
      )}
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, title: string])[]
  readonly choose: (value: string) => void
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  )
}

interface BodyProps extends Part {
  readonly fault: string
  readonly setFault: (fault: string) => void
}

/** The body as single fields or as JSON. */
function Body({ sheet, draft, change, fault, setFault }: BodyProps) {
  const [text, setText] = useState<string | undefined>(undefined)
  const id = useId()
  const fields = (sheet.body ?? []).filter(({ name, type }) => type !== 'object' && !name.includes('[]'))
  const there = fields.filter(({ name }) => valueAt(draft.body, name) !== undefined)
  const others = fields.filter((field) => !there.includes(field))
  const write = (json: string) => {
    setText(json)
    try {
      change({ ...draft, body: JSON.parse(json) })
      setFault('')
    } catch (error) {
      setFault(`This is no JSON: ${(error as Error).message}`)
    }
  }
  const asJson = (on: boolean) => {
    setText(on ? JSON.stringify(draft.body, null, 2) : undefined)
    setFault('')
  }
  return (
    <fieldset>
      <legend>
        Body{' '}
        <label class="switch">
          <input
            type="checkbox"
            checked={text !== undefined}
            onChange={({ currentTarget }) => asJson(currentTarget.checked)}
          />{' '}
          as JSON
        </label>
      </legend>
      {text === undefined ? (
        <>
          {there.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              text={textOf(valueAt(draft.body, field.name))}
              change={(typed) =>
                change({ ...draft, body: withValue(draft.body, field.name, valueOf(field, typed)) })
              }
              remove={() => change({ ...draft, body: withValue(draft.body, field.name, undefined) })}
            />
          ))}
          {others.length > 0 && (
            <Choice
              label="Add"
              value=""
              choose={(name) => {
                const field = others.find((each) => each.name === name)
                const value = field && (field.example ?? valueOf(field, ''))
                if (field) change({ ...draft, body: withValue(draft.body, field.name, value) })
              }}
              options={[['', 'a field…'], ...others.map(({ name }) => [name, name] as const)]}
            />
          )}
        </>
      ) : (
        <>
          <label for={id} class="unseen">
            Body as JSON
          </label>
          <textarea
            id={id}
            rows={10}
            spellcheck={false}
            autocapitalize="off"
            value={text}
            aria-invalid={fault !== ''}
            onInput={({ currentTarget }) => write(currentTarget.value)}
          />
          <p role="status" class="why bad">
            {fault}
          </p>
        </>
      )}
    </fieldset>
  )
}
