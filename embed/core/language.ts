/** The language of code samples, shared by all embeds of a page. */
import { useEffect, useState } from 'preact/hooks'

const KEPT = 'payments-sandbox:language'
const changed = new EventTarget()
let chosen: string | undefined

function remembered(): string | undefined {
  try {
    return localStorage.getItem(KEPT) ?? undefined
  } catch {
    return undefined
  }
}

function choose(name: string): void {
  chosen = name
  try {
    localStorage.setItem(KEPT, name)
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
  changed.dispatchEvent(new Event('change'))
}

/** @param first - the default */
export function useLanguage(first: string): [string, (name: string) => void] {
  const [name, set] = useState(() => (chosen ??= remembered()) ?? first)
  useEffect(() => {
    const follow = () => set(chosen ?? first)
    changed.addEventListener('change', follow)
    return () => changed.removeEventListener('change', follow)
  }, [first])
  return [name, choose]
}
