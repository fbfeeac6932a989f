import { useLayoutEffect } from 'preact/hooks'
import { addShortcuts, type Shortcut } from './keys.ts'

/** Keys for as long as a page shows, from the moment that it can be seen: a key pressed then is not lost. @param on what the shortcuts are about */
export function useKeys(shortcuts: readonly Shortcut[], on: readonly unknown[]): void {
  useLayoutEffect(() => addShortcuts(shortcuts), on)
}
