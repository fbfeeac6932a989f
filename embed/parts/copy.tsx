import { useEffect, useState } from 'preact/hooks'

/** Milliseconds for which it says that it has copied. */
const SAID = 2_000

/** @param what is copied, for who cannot see beside what the button is */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, say] = useState('')
  useEffect(() => {
    if (said === '') return undefined
    const later = setTimeout(() => say(''), SAID)
    return () => clearTimeout(later)
  }, [said])
  const copy = () =>
    // A page that is not served by https has no clipboard.
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
