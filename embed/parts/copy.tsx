import { useEffect, useState } from 'preact/hooks'

/** Milliseconds for which the confirmation is shown. */
const SAID = 2_000

/** @param what - names the copied text for screen readers */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, say] = useState('')
  useEffect(() => {
    if (said === '') return undefined
    const later = setTimeout(() => say(''), SAID)
    return () => clearTimeout(later)
  }, [said])
  const copy = () =>
    // Pages without HTTPS have no clipboard.
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => say('Copied'),
        () => say('Not allowed here'),
      )
  return (
    <button type="button" class="quiet" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      <span role="status">{said || 'Copy'}</span>
    </button>
  )
}
