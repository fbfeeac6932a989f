/** Keyboard shortcuts, which are ignored while typing. */

export interface Shortcut {
  /** A single key, or `g` followed by another. */
  readonly keys: string
  readonly what: string
  readonly group: 'Everywhere' | 'Go to' | 'Clock' | 'In a list' | 'Open item' | 'On the phone'
  /** Whether the shortcut is currently available. */
  readonly when?: () => boolean
  /** The label in the list if one entry stands for several keys; empty to hide an entry. */
  readonly listed?: string
  readonly run: () => void
}

/** The action of `j` and `k` in the visible list. */
export const listKeys: { move?: ((by: number) => void) | undefined } = {}

/** Shortcuts of the visible page; the last layer takes precedence. */
const layers: (readonly Shortcut[])[] = []

/** Adds shortcuts. @returns how to remove them */
export function addShortcuts(shortcuts: readonly Shortcut[]): () => void {
  layers.push(shortcuts)
  return () => void layers.splice(layers.indexOf(shortcuts), 1)
}

export const shortcuts = (): readonly Shortcut[] => layers.flat()

/** Milliseconds to wait for the key after `g`. */
const SECOND = 1_200
/** Initially in the distant past, so that a key pressed at the start is not taken as the second one. */
let begun = -Infinity

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))

addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event
  const palette = (ctrlKey || metaKey) && key.toLowerCase() === 'k'
  if (!palette && (ctrlKey || metaKey || altKey || typing(event.target))) return
  if (document.querySelector('dialog[open]')) return
  const pressed = palette ? 'Ctrl K' : event.timeStamp - begun < SECOND ? `g ${key}` : key
  begun = -Infinity
  if (pressed === 'g') {
    begun = event.timeStamp
    return
  }
  const found = layers
    .toReversed()
    .flat()
    .find(({ keys, when }) => keys === pressed && (when?.() ?? true))
  if (!found) return
  event.preventDefault()
  found.run()
})
