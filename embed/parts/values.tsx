import type { Field, ShownSheet } from '../../src/pages/embed/sheet.ts'
import { Copy } from './copy.tsx'

type Values = NonNullable<Field['values']>

/** A table of values and their outcomes. */
export const ValueTable = ({ values }: { readonly values: Values }) => (
  <div class="wide" tabIndex={0} role="group" aria-label="Values with an outcome of their own">
    <table>
      <thead>
        <tr>
          <th scope="col">Send</th>
          <th scope="col">What happens</th>
        </tr>
      </thead>
      <tbody>
        {values.map(({ value, scenario, title }) => (
          <tr key={String(value)}>
            <td>
              <code>{value}</code> <Copy text={String(value)} what={String(value)} />
            </td>
            <td>
              {title} {scenario && <code class="soft">{scenario}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

export interface Outcome {
  readonly field: Field
  readonly value: string | number
  readonly scenario: string
  readonly title: string
}

/** Collects the outcomes of all fields. If several fields have the same outcome, the first one is listed. */
export function outcomesOf({ body = [], parameters }: ShownSheet): readonly Outcome[] {
  const found = new Map<string, Outcome>()
  for (const field of [...parameters, ...body])
    for (const { value, scenario = String(value), title = scenario } of field.values ?? [])
      if (!found.has(scenario)) found.set(scenario, { field, value, scenario, title })
  return [...found.values()]
}

/** `part="test-numbers"`: all outcomes, or those that `outcomes` names. */
export function TestNumberList({
  sheet,
  only,
}: {
  readonly sheet: ShownSheet
  readonly only: string | null
}) {
  const wanted = only?.split(/[\s,]+/).filter(Boolean)
  const fields = (sheet.body ?? []).flatMap(({ name, values = [] }) => {
    const shown = wanted ? values.filter(({ scenario = '' }) => wanted.includes(scenario)) : values
    return shown.length > 0 ? [{ name, shown }] : []
  })
  if (fields.length === 0)
    return (
      <p>
        {wanted
          ? `No value of ${sheet.id} leads to ${wanted.join(' or ')}.`
          : `No value of ${sheet.id} has an outcome of its own.`}
      </p>
    )
  return (
    <>
      {fields.map(({ name, shown }) => (
        <section key={name}>
          <p>
            <code>{name}</code> of <code>{`${sheet.method} ${sheet.path}`}</code>
          </p>
          <ValueTable values={shown} />
        </section>
      ))}
    </>
  )
}
