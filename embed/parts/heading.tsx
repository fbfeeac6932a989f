import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** The level of the element's own heading. */
export const Level = createContext(3)

/** Returns the level below the last heading before the element; 3 if there is none. */
export function levelOf(element: Element): number {
  const before = [...document.querySelectorAll('h1, h2, h3, h4, h5')].filter(
    (each) => each.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING,
  )
  const last = before.at(-1)
  return last && element.getRootNode() === document ? Number(last.tagName[1]) + 1 : 3
}

export function Heading({ part, children }: { readonly part?: boolean; readonly children: unknown }) {
  const level = useContext(Level)
  const Name = `h${Math.min(6, part ? level + 1 : level)}` as 'h3'
  return <Name class={part ? 'part' : 'title'}>{children as never}</Name>
}
