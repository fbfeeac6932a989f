import { useRef } from 'preact/hooks'

export interface Tab<Name extends string> {
  readonly name: Name
  readonly title: string
}

interface TabsProps<Name extends string> {
  readonly tabs: readonly Tab<Name>[]
  readonly chosen: Name
  readonly choose: (name: Name) => void
  readonly label: string
}

/** Tabs that also react to arrow keys. The panel has the id `panel-…`. */
export function Tabs<Name extends string>({ tabs, chosen, choose, label }: TabsProps<Name>) {
  const row = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const at = tabs.findIndex(({ name }) => name === chosen)
    const next = tabs[(at + by + tabs.length) % tabs.length]!
    choose(next.name)
    row.current?.querySelector<HTMLElement>(`#tab-${next.name}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={row} onKeyDown={move}>
      {tabs.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-controls={`panel-${name}`}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => choose(name)}
        >
          {title}
        </button>
      ))}
    </div>
  )
}
