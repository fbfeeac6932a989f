/** Keys that do something, wherever the focus is, unless somebody types. */

export interface Shortcut {
  /** One key, or `g` and another. */
  readonly keys: string
  readonly what: string
  readonly group: 'Everywhere' | 'Go to' | 'Clock' | 'In a list' | 'On what is open' | 'On the phone'
  /** Whether it does something now; else the key is as if it were not there. */
  readonly when?: () => boolean
  /** How it is listed, where one entry stands for several keys; empty for those that it stands for. */
  readonly listed?: string
  readonly run: () => void
}

/** What the list that is shown does on `j` and `k`. */
export const listKeys: { move?: ((by: number) => void) | undefined } = {}

/** What the page that is shown adds, by key; the last that was put there is asked first. */
const layers: (readonly Shortcut[])[] = []

/** Adds shortcuts for as long as something is shown. Returns how to take them away. */
export function addShortcuts(shortcuts: readonly Shortcut[]): () => void {
  layers.push(shortcuts)
  return () => void layers.splice(layers.indexOf(shortcuts), 1)
}

/** All that there are now. */
export const shortcuts = (): readonly Shortcut[] => layers.flat()

/** After `g`, so long is waited for the second key, milliseconds. */
const SECOND = 1_200
/** When `g` was pressed, in the page's own time, which begins with the page: nought would be a `g` at its opening. */
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
