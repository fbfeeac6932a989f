import type { Field, ShownSheet } from '../../src/pages/embed/sheet.ts'
import { Heading } from './heading.tsx'
import { Json } from './json.tsx'
import { Prose } from './prose.tsx'
import { ValueTable } from './values.tsx'

/** The documentation of an operation: description, request, responses and callbacks. */
export const About = ({ sheet }: { readonly sheet: ShownSheet }) => (
  <>
    <Sure of={sheet} />
    <Prose of={sheet.about} />
    {sheet.parameters.length > 0 && <Fields title="Parameters" of={sheet.parameters} />}
    {sheet.body && <Fields title="Body" of={sheet.body} />}
    <Heading part>Answers</Heading>
    {sheet.answers.map(({ status, about, example }) => (
      <details key={status}>
        <summary>
          <Status of={Number(status)} /> <Prose of={inLine(about)} />
        </summary>
        {example !== undefined && <Json value={example} label={`Answer ${status}`} />}
      </details>
    ))}
    {sheet.callback && (
      <>
        <Heading part>Callback</Heading>
        <Prose of={sheet.callback.about} />
        {sheet.callback.examples.map(({ title, value }) => (
          <details key={title}>
            <summary>{title}</summary>
            <Json value={value} label={`Callback: ${title}`} />
          </details>
        ))}
      </>
    )}
  </>
)

/** Renders a text of one paragraph inline. */
const inLine = (texts: ShownSheet['about']) => {
  const [first] = texts
  return texts.length === 1 && typeof first === 'object' && first.name === 'p' ? first.in : texts
}

export const Status = ({ of }: { readonly of: number }) => (
  <span class={of < 300 ? 'status good' : 'status bad'}>{of}</span>
)

const Sure = ({ of: { sure, note } }: { readonly of: Pick<Field, 'sure' | 'note'> }) =>
  sure ? (
    <span class={`sure ${sure}`} title={note}>
      {sure}
    </span>
  ) : null

const Fields = ({ title, of }: { readonly title: string; readonly of: readonly Field[] }) => (
  <>
    <Heading part>{title}</Heading>
    <dl>
      {of.map((field) => (
        <FieldRow key={field.name} field={field} />
      ))}
    </dl>
  </>
)

const FieldRow = ({ field }: { readonly field: Field }) => {
  const { name, type, required, rules = [], options, about, note, values } = field
  return (
    <>
      <dt>
        <code>{name}</code> <span class="soft">{type}</span>
        {required && <span class="must"> required</span>} <Sure of={field} />
      </dt>
      <dd>
        {about && <Prose of={about} />}
        {(options || rules.length > 0) && (
          <p class="soft">
            {options && (
              <>
                one of{' '}
                {options.map((each, at) => (
                  <>
                    {at > 0 && ', '}
                    <code>{each}</code>
                  </>
                ))}
                {rules.length > 0 && '; '}
              </>
            )}
            {rules.join('; ')}
          </p>
        )}
        {note && <p class="soft">{note}</p>}
        {values && (
          <details>
            <summary>{values.length} values with an outcome of their own</summary>
            <ValueTable values={values} />
          </details>
        )}
      </dd>
    </>
  )
}
