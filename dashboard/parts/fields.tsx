import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import {
  defaultIn,
  type FormSchema,
  same,
  takesPart,
  titleOf,
  type Typed,
  type TypedObject,
  typedOf,
} from '../core/form.ts'
import { Button, ChipButton, Options } from './bits.tsx'

export type InputAttributes = JSX.IntrinsicElements['input']

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

interface FieldsProps {
  readonly of: NonNullable<FormSchema['fields']>
  readonly options?: { readonly [name: string]: FieldOptions | undefined }
  readonly typed: TypedObject
  readonly set: (typed: TypedObject) => void
  readonly faults?: { readonly [name: string]: string }
  readonly brief: boolean
  /** The values before a change. */
  readonly base?: TypedObject | undefined
  /** Fields without this text are hidden, and headings with them. */
  readonly wanted?: string
}

/** The name, the help and the choices of a field and its parts. */
const textOf = (name: string, { help = '', values = [], fields = {} }: FormSchema): string =>
  [name, titleOf(name), help, ...values, ...Object.entries(fields).map(([part, of]) => textOf(part, of))]
    .join(' ')
    .toLowerCase()

export const Fields = ({
  of,
  options = {},
  typed,
  set,
  faults = {},
  brief,
  base,
  wanted = '',
}: FieldsProps) => {
  const shown = Object.entries(of).filter(
    ([name, schema]) =>
      !options[name]?.hidden &&
      takesPart(of, name, typed) &&
      textOf(name, schema).includes(wanted.trim().toLowerCase()),
  )
  if (shown.length === 0 && wanted) return <p class="soft">No field has this text.</p>
  return (
    <>
      {shown.map(([name, schema]) => {
        const { group, ...own } = options[name] ?? {}
        return (
          <>
            {group && wanted === '' && <h3>{group}</h3>}
            <Field
              key={name}
              name={name}
              of={schema}
              options={own}
              value={typed[name]}
              set={(value) => set({ ...typed, [name]: value })}
              fault={faults[name]}
              brief={brief}
              changed={base !== undefined && !same(base[name], typed[name])}
            />
          </>
        )
      })}
    </>
  )
}

interface FieldProps {
  readonly name: string
  readonly of: FormSchema
  readonly options: FieldOptions
  readonly value: Typed
  readonly set: (value: Typed) => void
  readonly fault?: string | undefined
  readonly brief: boolean
  readonly changed?: boolean
}

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
  const grouped = ['object', 'rows'].includes(of.kind) && !options.slot
  const Group = grouped ? 'fieldset' : 'div'
  const Label = grouped ? 'legend' : 'label'
  return (
    <Group
      class={`field ${grouped ? 'group' : of.kind} ${options.whole ? 'whole' : ''} ${props.changed ? 'changed' : ''}`}
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
  const { kind, fields = {}, values, required, min, max } = of
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
    <Options of={Object.entries(options)} none={none} />
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
