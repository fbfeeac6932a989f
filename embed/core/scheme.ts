/** Whether a page is light or dark where an element stands: as it is painted there, and as its own switch changes it. */

export type Scheme = 'light' | 'dark'

const system = () => matchMedia('(prefers-color-scheme: dark)')

/** By what is painted behind the element; where nothing is, by the color-scheme of the page. */
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

/** What an element stands in, through slots and out of shadow trees. */
function above(element: Element): Element | null {
  if (element.assignedSlot) return element.assignedSlot
  const root = element.getRootNode()
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
}

const watching = new Set<() => void>()
let begun = false

/** Calls whenever the page may have become light or dark. @returns what ends that */
export function watchScheme(changed: () => void): () => void {
  begin()
  watching.add(changed)
  return () => watching.delete(changed)
}

/** One watch for all elements of a page, from the first of them on. */
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
  // A page with a switch of its own changes an attribute of one of these.
  const watch = new MutationObserver(soon)
  for (const element of [document.documentElement, document.body])
    if (element) watch.observe(element, { attributes: true })
  document.addEventListener('transitionend', soon)
}
