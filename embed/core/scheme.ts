/** Detects whether the page is light or dark around an element. */

export type Scheme = 'light' | 'dark'

const system = () => matchMedia('(prefers-color-scheme: dark)')

/** Uses the background behind the element, or else the page's color-scheme. */
export function schemeAround(element: Element): Scheme {
  for (let at = above(element); at; at = above(at)) {
    const paint = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(
      getComputedStyle(at).backgroundColor,
    )
    if (!paint || Number(paint[4] ?? 1) < 0.5) continue
    const [red, green, blue] = paint.slice(1, 4).map(Number)
    return red! * 0.299 + green! * 0.587 + blue! * 0.114 < 128 ? 'dark' : 'light'
  }
  const declared = getComputedStyle(document.documentElement).colorScheme
  if (!declared.includes('dark')) return 'light'
  if (!declared.includes('light')) return 'dark'
  return system().matches ? 'dark' : 'light'
}

/** Returns the parent element across slots and shadow roots. */
function above(element: Element): Element | null {
  if (element.assignedSlot) return element.assignedSlot
  const root = element.getRootNode()
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
}

const watching = new Set<() => void>()
let begun = false

/** Calls `changed` when the page may have switched its scheme. @returns how to stop */
export function watchScheme(changed: () => void): () => void {
  begin()
  watching.add(changed)
  return () => watching.delete(changed)
}

/** One observer serves all elements of a page. */
function begin(): void {
  if (begun) return
  begun = true
  let asked = false
  const soon = () => {
    if (asked || watching.size === 0) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      for (const changed of watching) changed()
    })
  }
  system().addEventListener('change', soon)
  // Pages switch their scheme by an attribute of one of these.
  const watch = new MutationObserver(soon)
  for (const element of [document.documentElement, document.body])
    if (element) watch.observe(element, { attributes: true })
  document.addEventListener('transitionend', soon)
}
