/** Forms that follow the schema of a request. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type Need, refusal, refused } from '../core/access.ts'
import { busy, say } from '../core/actions.ts'
import { SandboxError, wordsOf } from '../core/api.ts'
import {
  bodyOf,
  defaultIn,
  faultsIn,
  type FormSchema,
  rebased,
  same,
  titleOf,
  type Typed,
  type TypedObject,
  typedOf,
} from '../core/form.ts'
import { counted } from '../core/format.ts'
import { expired, session } from '../core/session.ts'
import { Button, ChipButton } from './bits.tsx'

type InputAttributes = JSX.IntrinsicElements['input']

/** How a field differs from its schema. */
export interface FieldOptions {
  readonly label?: string
  /** False for none. */
  readonly help?: ComponentChildren | false
  /** Words for values; an omitted value keeps its own word. */
  readonly choices?: { readonly [value: string]: string }
  /** The choice of an omitted field; false if one must be chosen. */
  readonly none?: string | false
  readonly placeholder?: string
  /** A heading above the field and those that follow. */
  readonly group?: string
  /** Texts that are added to a list by a press. */
  readonly suggestions?: readonly string[]
  /** Values of an object that are chosen by name. */
  readonly presets?: { readonly [title: string]: unknown }
  /** Whether the table of rows may grow. */
  readonly grows?: boolean
  readonly hidden?: boolean
  /** Whether it takes the whole width. */
  readonly whole?: boolean
  /** Attributes of the input, such as `type`. */
  readonly input?: InputAttributes & { readonly rows?: number }
  /** Replaces the input. */
  readonly slot?: (props: Slot) => ComponentChildren
}

export interface Slot {
  readonly value: Typed
  readonly set: (value: Typed) => void
  readonly attributes: { readonly id: string }
}

interface Props<Body extends object> {
  readonly of: FormSchema
  readonly fields?: { readonly [name in keyof Body]?: FieldOptions }
  readonly action: string
  /** @returns a notice, or false if it failed with a notice */
  readonly send: (body: Body) => Promise<string | boolean | void>
  readonly needs?: Need
  readonly initial?: { readonly [name in keyof Body]?: unknown }
  /** Whether only fields that differ from `initial` are sent. */
  readonly isChange?: boolean
  /** Whether each change is sent at once; texts when the reader leaves them. */
  readonly instant?: boolean
  /** Whether the fields keep their values after success. */
  readonly keep?: boolean
  readonly label?: string
  /** The heading of a card. */
  readonly title?: string
  /** Whether fields stand next to each other. */
  readonly row?: boolean
  /** Whether help is only a tooltip. */
  readonly brief?: boolean
  readonly class?: string
  readonly kind?: 'main' | 'danger'
  /** Follows the fields. */
  readonly children?: (body: Body) => ComponentChildren
}

/** A form whose labels, help, choices, limits and errors come from the description of the API. */
export function Form<Body extends object = Readonly<Record<string, string>>>(props: Props<Body>) {
  const { of, fields = {}, action, send, needs = 'change', initial, isChange, instant, row = false } = props
  const brief = props.brief ?? row
  const options = fields as { readonly [name: string]: FieldOptions | undefined }
  const start = typedOf(of, initial) as TypedObject
  const [base, setBase] = useState(start)
  const [typed, setTyped] = useState(start)
  const [faults, setFaults] = useState<{ readonly [field: string]: string }>({})
  const [sending, setSending] = useState(false)
  const [due, setDue] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    setTyped((now) => rebased(base, now, start))
    setBase(start)
  }, [JSON.stringify(start)])
  useEffect(() => {
    form.current!.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [faults])
  const body = bodyOf(of, typed, isChange || instant ? base : undefined) as Body
  const many = Object.keys(body).length
  const submit = async (event?: Event) => {
    event?.preventDefault()
    if (sending || busy.peek() || refused(needs)) return
    setSending(true)
    setFaults({})
    try {
      const done = await send(body)
      if (typeof done === 'string') say(done)
      if (done === false || props.keep) return setSending(false)
      if (isChange || instant) setBase(typed)
      else setTyped(base)
    } catch (error) {
      if (error instanceof SandboxError && error.status === 401 && session.peek()) expired()
      else setFaults(faultsIn(wordsOf(error), Object.keys(of.fields!)))
    }
    setSending(false)
  }
  useEffect(() => {
    if (due > 0 && many > 0) void submit()
  }, [due])
  const why = refusal(needs)
  const buttons = (
    <>
      {isChange && many > 0 && (
        <Button
          needs="read"
          onClick={() => {
            setTyped(base)
            setFaults({})
          }}
        >
          Discard
        </Button>
      )}
      {!instant && (
        <Button
          needs={needs}
          kind={row || props.kind === 'danger' ? props.kind : 'main'}
          type="submit"
          disabled={sending || busy.value || (isChange && many === 0)}
        >
          {isChange && many > 0 ? `${action} ${counted(many, 'change')}` : action}
        </Button>
      )}
    </>
  )
  return (
    <form
      ref={form}
      class={`form ${props.title ? 'card with-bar' : ''} ${row ? 'in-row' : ''} ${props.class ?? ''}`}
      aria-label={props.label ?? props.title}
      onSubmit={(event) => void submit(event)}
      onChange={() => instant && setDue(due + 1)}
    >
      {props.title && (
        <header class="bar">
          <h2>{props.title}</h2>
          <span class="actions">{buttons}</span>
        </header>
      )}
      <fieldset disabled={why !== undefined} title={why}>
        <Fields
          of={of.fields!}
          options={options}
          typed={typed}
          set={setTyped}
          faults={faults}
          brief={brief}
        />
      </fieldset>
      {props.children?.(body)}
      {faults[''] && (
        <p class="wrong" role="alert">
          {faults['']}
        </p>
      )}
      {!props.title && buttons}
    </form>
  )
}

interface FieldsProps {
  readonly of: NonNullable<FormSchema['fields']>
  readonly options?: { readonly [name: string]: FieldOptions | undefined }
  readonly typed: TypedObject
  readonly set: (typed: TypedObject) => void
  readonly faults?: { readonly [name: string]: string }
  readonly brief: boolean
}

const Fields = ({ of, options = {}, typed, set, faults = {}, brief }: FieldsProps) => (
  <>
    {Object.entries(of).map(([name, schema]) => {
      const { hidden, group, ...own } = options[name] ?? {}
      if (hidden) return null
      return (
        <>
          {group && <h3>{group}</h3>}
          <Field
            key={name}
            name={name}
            of={schema}
            options={own}
            value={typed[name]}
            set={(value) => set({ ...typed, [name]: value })}
            fault={faults[name]}
            brief={brief}
          />
        </>
      )
    })}
  </>
)

interface FieldProps {
  readonly name: string
  readonly of: FormSchema
  readonly options: FieldOptions
  readonly value: Typed
  readonly set: (value: Typed) => void
  readonly fault?: string | undefined
  readonly brief: boolean
}

/** One field with its label, and its help or error. */
function Field(props: FieldProps) {
  const { name, of, options, fault, brief } = props
  const id = useId()
  const label = options.label ?? titleOf(name)
  const help = options.help ?? (of.help && <Coded>{of.help}</Coded>)
  const about = fault ?? (brief ? undefined : help)
  const attributes = {
    id,
    'aria-invalid': fault !== undefined,
    ...(about && { 'aria-describedby': `${id}-about` }),
    ...(brief && { title: of.help }),
  }
  const grouped = ['object', 'rows', 'variants'].includes(of.kind) && !options.slot
  const Group = grouped ? 'fieldset' : 'div'
  const Label = grouped ? 'legend' : 'label'
  return (
    <Group
      class={`field ${grouped ? 'group' : of.kind} ${options.whole ? 'whole' : ''}`}
      aria-describedby={grouped && about ? `${id}-about` : undefined}
    >
      <Label {...(!grouped && { for: id })}>{label}</Label>
      {options.slot ? (
        options.slot({ value: props.value, set: props.set, attributes })
      ) : (
        <Input {...props} label={label} attributes={attributes} />
      )}
      {about && (
        <p id={`${id}-about`} class={fault ? 'wrong small' : 'soft small'} role={fault ? 'alert' : undefined}>
          {about}
        </p>
      )}
    </Group>
  )
}

/** A text with code in backticks. */
const Coded = ({ children }: { children: string }) => (
  <>{children.split('`').map((part, n) => (n % 2 === 1 ? <code key={n}>{part}</code> : part))}</>
)

type InputProps = FieldProps & { readonly label: string; readonly attributes: Slot['attributes'] }

function Input({ of, options, value, set, brief, label, attributes }: InputProps) {
  const { kind, fields = {}, variants = {}, values, required, min, max } = of
  const { choices, presets, input = {} } = options
  if (kind === 'boolean')
    return (
      <input
        {...attributes}
        type="checkbox"
        role="switch"
        checked={value === true}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
    )
  if (kind === 'object')
    return (
      <>
        {presets && (
          <Choice
            attributes={{ ...attributes, 'aria-label': label }}
            options={Object.fromEntries(Object.keys(presets).map((title) => [title, title]))}
            value={Object.keys(presets).find((title) => same(typedOf(of, presets[title]), value)) ?? ''}
            none="custom"
            set={(title) => title in presets && set(typedOf(of, presets[title]))}
          />
        )}
        <Fields of={fields} typed={value as TypedObject} set={set} brief={brief} />
      </>
    )
  if (kind === 'variants') {
    const { type = '' } = value as { type?: string }
    return (
      <>
        <Choice
          attributes={{ ...attributes, 'aria-label': label }}
          options={Object.fromEntries(Object.keys(variants).map((each) => [each, each]))}
          value={type}
          none={of.nullable ? 'none' : undefined}
          set={(next) => set(typedOf(of, { type: next }))}
        />
        <Fields of={variants[type]?.fields ?? {}} typed={value as TypedObject} set={set} brief={brief} />
      </>
    )
  }
  if (kind === 'rows')
    return (
      <Rows
        of={of}
        rows={value as readonly TypedObject[]}
        set={set}
        grows={options.grows ?? false}
        label={label}
      />
    )
  const text = String(value ?? '')
  if (choices || values)
    return (
      <Choice
        attributes={attributes}
        options={
          choices ?? Object.fromEntries(values!.map((each) => [each, String(each).replace(/[_-]/g, ' ')]))
        }
        value={text}
        none={options.none === false || required ? undefined : (options.none ?? defaultIn(of.help))}
        set={set}
      />
    )
  const shared = {
    ...attributes,
    value: text,
    placeholder: options.placeholder ?? (kind === 'list' ? undefined : of.example),
    required: required ?? false,
    spellcheck: false,
    autocomplete: 'off',
    ...(input as object),
  }
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value)
  if (kind === 'list' || input.rows)
    return (
      <>
        {options.suggestions && <Suggestions of={options.suggestions} text={text} set={set} label={label} />}
        <textarea rows={2} {...shared} onInput={onInput} />
      </>
    )
  return kind === 'number' ? (
    <input inputMode="decimal" {...shared} onInput={onInput} title={limits(min, max)} />
  ) : (
    <input maxLength={max} {...shared} onInput={onInput} />
  )
}

const limits = (min: number | undefined, max: number | undefined) =>
  min === undefined && max === undefined
    ? undefined
    : [min !== undefined && `at least ${min}`, max !== undefined && `at most ${max.toLocaleString('en')}`]
        .filter(Boolean)
        .join(', ')

interface ChoiceProps {
  readonly attributes: Slot['attributes'] & { readonly 'aria-label'?: string }
  readonly options: { readonly [value: string]: string }
  readonly value: string
  readonly none: string | undefined
  readonly set: (value: string) => void
}

const Choice = ({ attributes, options, value, none, set }: ChoiceProps) => (
  <select {...attributes} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
    {none !== undefined && <option value="">{none}</option>}
    {Object.entries(options).map(([each, title]) => (
      <option key={each} value={each}>
        {title}
      </option>
    ))}
  </select>
)

/** Adds texts to a list, or takes them out. */
function Suggestions({
  of,
  text,
  set,
  label,
}: {
  of: readonly string[]
  text: string
  set: (text: string) => void
  label: string
}) {
  const lines = text.split('\n').filter(Boolean)
  return (
    <div class="chips" role="group" aria-label={`Suggestions: ${label}`}>
      {of.map((each) => (
        <ChipButton
          key={each}
          pressed={lines.includes(each)}
          onClick={() =>
            set((lines.includes(each) ? lines.filter((line) => line !== each) : [...lines, each]).join('\n'))
          }
        >
          {each}
        </ChipButton>
      ))}
    </div>
  )
}

interface RowsProps {
  readonly of: FormSchema
  readonly rows: readonly TypedObject[]
  readonly set: (rows: readonly TypedObject[]) => void
  readonly grows: boolean
  readonly label: string
}

/** A table of objects. */
function Rows({ of, rows, set, grows, label }: RowsProps) {
  const fields = Object.entries(of.fields!)
  return (
    <>
      <div class="scroll-x">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{grows ? <span class="unseen">Row</span> : label}</th>
              {fields.map(([name]) => (
                <th key={name} scope="col">
                  {titleOf(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, n) => (
              <tr key={n}>
                <th scope="row">{n}</th>
                {fields.map(([name, each]) => (
                  <td key={name}>
                    <Input
                      name={name}
                      of={{ ...each, required: false, ...(each.nullable && { example: 'unlimited' }) }}
                      options={{}}
                      value={row[name]}
                      set={(value) => set(rows.map((it, m) => (m === n ? { ...it, [name]: value } : it)))}
                      brief
                      label={titleOf(name)}
                      attributes={
                        { id: '', 'aria-label': `${label} ${n}, ${titleOf(name)}` } as Slot['attributes']
                      }
                    />
                  </td>
                ))}
                {grows && (
                  <td>
                    <Button
                      kind="quiet"
                      disabled={rows.length === 1}
                      title={`Remove row ${n}`}
                      onClick={() => set(rows.filter((_, m) => m !== n))}
                    >
                      Remove
                    </Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {grows && (
        <Button
          icon="plus"
          onClick={() => set([typedOf({ ...of, kind: 'object' }, {}) as TypedObject, ...rows])}
        >
          Add a row
        </Button>
      )}
    </>
  )
}

/** A form with one text, such as a name to open. */
export function TextForm({
  label,
  action,
  send,
  needs = 'read',
  ...input
}: {
  readonly label: string
  readonly action: string
  readonly send: (text: string) => Promise<unknown> | void
  readonly needs?: Need
} & InputAttributes) {
  const [text, setText] = useState('')
  return (
    <form
      class="joined"
      onSubmit={(event) => {
        event.preventDefault()
        void Promise.resolve(send(text.trim())).then((done) => done !== false && setText(''))
      }}
    >
      <input
        class="name"
        aria-label={label}
        required
        autocomplete="off"
        spellcheck={false}
        {...(input as object)}
        value={text}
        disabled={refusal(needs) !== undefined}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button needs={needs} type="submit" disabled={needs !== 'read' && busy.value}>
        {action}
      </Button>
    </form>
  )
}
