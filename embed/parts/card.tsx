import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'
import { draftOf, targetOf } from '../core/draft.ts'
import { type Host, tell } from '../core/host.ts'
import { About } from './about.tsx'
import { Heading, Level } from './heading.tsx'
import { Press } from './press.tsx'
import { Samples } from './samples.tsx'
import { Tabs, type Tab } from './tabs.tsx'
import { TryIt } from './try-it.tsx'
import { TestNumberList } from './values.tsx'

interface CardProps {
  readonly host: Host
  readonly sheet: ShownSheet
  /** The element's attributes as one text, which changes when any of them does. */
  readonly attributes: string
}

/** Shows the part that the element names, by default the whole operation. */
export function Card({ host, sheet, attributes }: CardProps) {
  const part = host.element.getAttribute('part')
  if (part === 'test-numbers')
    return (
      <Alone title={`Test numbers of ${sheet.id}`}>
        <TestNumberList sheet={sheet} only={host.element.getAttribute('outcomes')} />
      </Alone>
    )
  if (part === 'outcome')
    return (
      <Alone title={`An outcome of ${sheet.id}`}>
        <Press host={host} sheet={sheet} />
      </Alone>
    )
  if (part === 'samples')
    return (
      <Alone title={`Samples of ${sheet.id}`}>
        <Samples sheet={sheet} target={targetOf(sheet, draftOf(sheet, host.element), host.server)} />
      </Alone>
    )
  if (part)
    return (
      <div class="panel">
        <p role="status">{`There is no part ${part}; there are samples, test-numbers and outcome.`}</p>
      </div>
    )
  return <Whole key={attributes} host={host} sheet={sheet} attributes={attributes} />
}

/** A single part without the card; its heading belongs to the page. */
const Alone = ({ title, children }: { readonly title: string; readonly children: unknown }) => (
  <Level.Provider value={useContext(Level) - 1}>
    <div class="panel" role="group" aria-label={title} tabIndex={0}>
      {children as never}
    </div>
  </Level.Provider>
)

type PanelName = 'about' | 'try' | 'samples'

const tabs: readonly Tab<PanelName>[] = [
  { name: 'about', title: 'About' },
  { name: 'try', title: 'Try it' },
  { name: 'samples', title: 'Samples' },
]

/** Width in pixels from which text and form are side by side. */
const ROOMY = 720

function Whole({ host, sheet }: CardProps) {
  const [draft, change] = useState(() => draftOf(sheet, host.element))
  const [chosen, choose] = useState<PanelName>('about')
  const [open, setOpen] = useState(false)
  const { frame, roomy } = useWidth(host.element)
  const target = useMemo(() => targetOf(sheet, draft, host.server), [sheet, draft, host.server])
  const shown = roomy && chosen === 'about' ? 'try' : chosen
  const offered = roomy ? tabs.slice(1) : tabs
  useEffect(() => {
    host.element.toggleAttribute('open', open)
    tell(host.element, 'height', { height: heightOf(frame.current) })
  }, [open, frame, host.element])
  const panel = (name: PanelName, content: unknown) => (
    <div
      class="panel"
      id={`panel-${name}`}
      role="tabpanel"
      aria-labelledby={`tab-${name}`}
      tabIndex={0}
      hidden={name !== shown}
    >
      {content as never}
    </div>
  )
  return (
    <div class={roomy ? 'whole roomy' : 'whole'} ref={frame}>
      <header>
        <Heading>{sheet.title}</Heading>
        <button type="button" class="quiet" aria-pressed={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show all'}
        </button>
        <p class="route">
          <span class="method">{sheet.method}</span> <code>{sheet.path}</code>
        </p>
      </header>
      {roomy && (
        <div class="panel about" role="group" aria-label={`About ${sheet.id}`} tabIndex={0}>
          <About sheet={sheet} />
        </div>
      )}
      <div class="side">
        <Tabs tabs={offered} chosen={shown} choose={choose} label={sheet.id} />
        {!roomy && panel('about', <About sheet={sheet} />)}
        {panel('try', <TryIt host={host} sheet={sheet} draft={draft} target={target} change={change} />)}
        {panel('samples', <Samples sheet={sheet} target={target} />)}
      </div>
    </div>
  )
}

/** Returns the height of the whole content, including scrolled parts. */
function heightOf(frame: HTMLElement | null): number {
  if (!frame) return 0
  const hidden = [...frame.querySelectorAll('.panel')].map((each) => each.scrollHeight - each.clientHeight)
  return frame.offsetHeight + Math.max(0, ...hidden)
}

function useWidth(element: HTMLElement) {
  const frame = useRef<HTMLDivElement>(null)
  // Set before the first paint, so that nothing moves.
  const [roomy, setRoomy] = useState(() => element.clientWidth >= ROOMY)
  useEffect(() => {
    const watch = new ResizeObserver(() => setRoomy(element.clientWidth >= ROOMY))
    watch.observe(element)
    return () => watch.disconnect()
  }, [element])
  return { frame, roomy }
}
