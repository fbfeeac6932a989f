/** The renderer, loaded when an element is about to become visible. */
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ShownSheet } from '../src/pages/embed/sheet.ts'
import { type Host, type Show, tell } from './core/host.ts'
import { sheetAt } from './core/sheets.ts'
import { Card } from './parts/card.tsx'
import { Level, levelOf } from './parts/heading.tsx'
import controls from './controls.css'
import style from './show.css'

let sheet: CSSStyleSheet | undefined
function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(style + controls)
  }
  return sheet
}

export const show: Show = (host) => {
  const { root, element } = host
  const own = styleSheet()
  if (!root.adoptedStyleSheets.includes(own)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, own]
  const before = root.firstElementChild as HTMLElement
  const box = document.createElement('div')
  box.className = 'box'
  before.replaceWith(box)
  const attributes = () =>
    [...element.attributes]
      .filter(({ name }) => !['open', 'style', 'class', 'height', 'scheme'].includes(name))
      .map(({ name, value }) => `${name}=${value}`)
      .join('\n')
  const paint = () => render(<Operation host={host} attributes={attributes()} />, box)
  paint()
  return {
    update: paint,
    end() {
      render(null, box)
      box.replaceWith(before)
    },
  }
}

type State = { readonly sheet: ShownSheet } | { readonly why: string } | undefined

function Operation({ host, attributes }: { readonly host: Host; readonly attributes: string }) {
  const { element, server } = host
  const operation = element.getAttribute('operation') ?? ''
  const [state, set] = useState<State>(undefined)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let left = false
    sheetAt(server, operation).then(
      (found) => left || set({ sheet: found }),
      (error: Error) => left || set({ why: error.message }),
    )
    return () => {
      left = true
    }
  }, [server, operation, tries])
  const ready = state && 'sheet' in state && state.sheet.id
  useEffect(() => {
    if (ready) tell(element, 'ready', { operation: ready })
  }, [element, ready])
  if (!state) return <p class="panel soft" role="status">{`Loading ${operation}…`}</p>
  if ('why' in state)
    return (
      <div class="panel">
        <p role="status">{`This cannot be shown: ${state.why}.`}</p>
        <button type="button" onClick={() => setTries(tries + 1)}>
          Try again
        </button>
        <slot />
      </div>
    )
  return (
    <Level.Provider value={levelOf(element)}>
      <Card key={state.sheet.id} host={host} sheet={state.sheet} attributes={attributes} />
    </Level.Provider>
  )
}
