import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { commandsFor } from './commands.ts'

/** The command palette. */
export function Palette({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const commands = commandsFor(typed)
  const run = (n: number) => {
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
            placeholder="An id, a reference, a phone, a page, something to do"
            value={typed}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value)
              setAt(0)
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
        {commands.length === 0 && <p class="soft nothing">Nothing here is called that.</p>}
      </div>
    </Dialog>
  )
}
