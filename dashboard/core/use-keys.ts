import { useEffect } from 'preact/hooks'
import { addShortcuts, type Shortcut } from './keys.ts'

/** Keys for as long as a page shows. @param on what the shortcuts are about */
export function useKeys(shortcuts: readonly Shortcut[], on: readonly unknown[]): void {
  useEffect(() => addShortcuts(shortcuts), on)
}
