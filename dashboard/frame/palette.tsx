import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { scenarioList } from '../core/scenarios.ts'
import { usePaused } from '../core/hooks.ts'
import { commandsFor, outcomesFor, searchFor } from './commands.ts'

/** Milliseconds without typing before the sandbox is searched. */
const PAUSE = 120

export function Palette({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const wanted = typed.trim()
  const search = async () => ({ of: wanted, commands: await searchFor(wanted) })
  const found = usePaused(wanted.length > 1 ? search : undefined, PAUSE, [wanted])
  const isSearching = wanted.length > 1 && found?.of !== wanted
  /** Whether Enter was pressed before the first result. */
  const hurry = useRef(false)
  const known = commandsFor(typed)
  const searched = (wanted.length > 1 && found?.commands) || []
  const commands = [...known, ...outcomesFor(typed), ...searched]
  useEffect(() => scenarioList.use(), [])
  useEffect(() => {
    if (hurry.current && !isSearching) run(0)
  }, [isSearching])
  const run = (n: number) => {
    if (!commands[n] && isSearching) return void (hurry.current = true)
    close()
    commands[n]?.run()
  }
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: 'nearest' }), [at])
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined) setAt((at + by + commands.length) % Math.max(1, commands.length))
    else if (event.key === 'Enter') run(at)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search or run" close={close} bare>
      <div class="palette">
        <label class="palette-field">
          <Icon name="search" />
          <span class="unseen">Search or run</span>
          <input
            type="text"
            role="combobox"
            aria-expanded="true"
            aria-controls="found"
            aria-activedescendant={commands[at] ? `found-${at}` : undefined}
            placeholder="A reference, a phone, a text of a request, a page, something to do"
            value={typed}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value)
              setAt(0)
              hurry.current = false
            }}
            onKeyDown={onKeyDown}
            autocomplete="off"
            spellcheck={false}
            autofocus
          />
        </label>
        <ul id="found" role="listbox" aria-label="Found" ref={list} tabIndex={-1}>
          {commands.map(({ id, icon, title, hint }, n) => (
            <li
              key={id}
              id={`found-${n}`}
              role="option"
              aria-selected={n === at}
              onClick={() => run(n)}
              onPointerMove={() => setAt(n)}
            >
              <Icon name={icon} />
              <bdi>{title}</bdi>
              <span class="soft hint">
                <bdi>{hint}</bdi>
              </span>
            </li>
          ))}
        </ul>
        {commands.length === 0 && (
          <p class="soft nothing">{isSearching ? 'Searching…' : 'Nothing matches.'}</p>
        )}
      </div>
    </Dialog>
  )
}
