import { useId } from 'preact/hooks'
import type { Field } from '../../src/pages/embed/sheet.ts'

interface FieldInputProps {
  readonly field: Field
  readonly text: string
  readonly change: (text: string) => void
  /** Removes an optional field from the request. */
  readonly remove?: () => void
}

/** Chooses the keyboard of phones. */
function keyboardOf({ name, type }: Field): 'decimal' | 'numeric' | 'tel' | 'email' | 'url' | 'text' {
  if (type === 'number') return 'decimal'
  if (type === 'integer') return 'numeric'
  if (/phone/.test(name)) return 'tel'
  if (/email/.test(name)) return 'email'
  return name.endsWith('url') ? 'url' : 'text'
}

/** An input that accepts any text, so that readers can see the API's errors. */
export function FieldInput({ field, text, change, remove }: FieldInputProps) {
  const id = useId()
  const options = field.options ?? (field.type === 'boolean' ? ['true', 'false'] : undefined)
  return (
    <div class="field">
      <label for={id}>
        <code>{field.name}</code>
      </label>
      {options ? (
        <select id={id} value={text} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {!options.map(String).includes(text) && <option>{text}</option>}
          {options.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          inputMode={keyboardOf(field)}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
      {remove && (
        <button type="button" class="quiet" aria-label={`Leave out ${field.name}`} onClick={remove}>
          ×
        </button>
      )}
    </div>
  )
}
