import { useId } from 'preact/hooks'
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'
import type { Target } from '../core/draft.ts'
import { useLanguage } from '../core/language.ts'
import { languages } from '../samples/languages.ts'
import { Copy } from './copy.tsx'
import { Scrolled } from './prose.tsx'

/** Placeholders for unknown credentials. */
const YOURS = { username: 'API_USERNAME', password: 'API_PASSWORD' }

/** The request as code in the chosen language. */
export function Samples({ sheet, target }: { readonly sheet: ShownSheet; readonly target: Target }) {
  const [name, choose] = useLanguage(languages[0]!.name)
  const language = languages.find((each) => each.name === name) ?? languages[0]!
  const text = language.write({ ...target, ...(sheet.credentials ?? YOURS) })
  const id = useId()
  return (
    <>
      <div class="row">
        <label for={id}>Language</label>
        <select id={id} value={language.name} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {languages.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </select>
        <span class="gap" />
        <Copy text={text} what={`the ${language.name} sample`} />
      </div>
      <Scrolled label={`${language.name} sample`}>{text}</Scrolled>
    </>
  )
}
