import { useLayoutEffect } from 'preact/hooks'
import { addShortcuts, type Shortcut } from './keys.ts'

/** Adds shortcuts while a page is shown, before its first paint. @param on - dependencies */
export function useKeys(shortcuts: readonly Shortcut[], on: readonly unknown[]): void {
  useLayoutEffect(() => addShortcuts(shortcuts), on)
}
