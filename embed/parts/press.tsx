import { useMemo } from 'preact/hooks'
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'
import { draftOf, targetOf, withValue } from '../core/draft.ts'
import type { Host } from '../core/host.ts'
import { useRun } from '../core/run.ts'
import { MayNot } from './may-not.tsx'
import { RunShown } from './outcome.tsx'
import { outcomesOf } from './values.tsx'

/**
 * `part="outcome"`: one button that shows the outcome that `outcome` names, by default a payer who cancels.
 */
export function Press({ host, sheet }: { readonly host: Host; readonly sheet: ShownSheet }) {
  const { element, server } = host
  const named = element.getAttribute('outcome') ?? 'payer-cancels'
  const { run, start } = useRun(host, sheet)
  const outcome = useMemo(() => outcomesOf(sheet).find(({ scenario }) => scenario === named), [sheet, named])
  if (!outcome) {
    const known = outcomesOf(sheet).map(({ scenario }) => scenario)
    return (
      <p>{`${sheet.id} has no outcome ${named}; ${known.length > 0 ? `it has ${known.join(', ')}` : 'it has none'}.`}</p>
    )
  }
  const { field, value, title } = outcome
  const press = () => {
    const draft = draftOf(sheet, element)
    const chosen = { ...draft, body: withValue(draft.body, field.name, value) }
    void start(chosen, targetOf(sheet, chosen, server))
  }
  return (
    <>
      <p>
        <strong>{title}</strong>
      </p>
      <p class="soft">
        <code>{`${sheet.method} ${sheet.path}`}</code> with <code>{field.name}</code> <code>{value}</code>, in
        a world of your own.
      </p>
      <p class="row">
        <button type="button" class="send" disabled={!sheet.mayTry || run.step === 'sending'} onClick={press}>
          See it happen
        </button>
        <MayNot sheet={sheet} server={server} />
      </p>
      <RunShown run={run} />
    </>
  )
}
