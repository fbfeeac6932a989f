import { useEffect, useRef, useState } from 'preact/hooks'
import { dialog } from '../core/dialogs.ts'
import { writeAddress } from '../core/address.ts'
import { go, route } from '../core/route.ts'
import { knownWorlds, session } from '../core/session.ts'
import { Icon } from '../parts/icon.tsx'

/** The current world and others for which this window has a key. */
export function WorldMenu() {
  const [open, setOpen] = useState(false)
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!open) return
    const away = (event: Event) => {
      if (!ref.current!.contains(event.target as Node)) setOpen(false)
    }
    const escape = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setOpen(false)
      ref.current!.querySelector('button')!.focus()
    }
    addEventListener('pointerdown', away)
    addEventListener('keydown', escape)
    return () => {
      removeEventListener('pointerdown', away)
      removeEventListener('keydown', escape)
    }
  }, [open])
  const { world, name } = session.value ?? {}
  return (
    <div class="menu-holder" ref={ref}>
      <button
        type="button"
        class="button world"
        aria-haspopup="true"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span class="soft roomy">World</span>
        <b>
          <bdi>{name ?? world ?? '…'}</bdi>
        </b>
        <Icon name="down" />
      </button>
      {open && (
        <div class="drop">
          <ul>
            {knownWorlds.value.map((each) => (
              <li key={each}>
                <button
                  type="button"
                  aria-current={each === world ? 'true' : undefined}
                  onClick={() => {
                    setOpen(false)
                    go(writeAddress({ world: each, page: route.peek().page }))
                  }}
                >
                  <bdi>{each}</bdi>
                  {each === world && <Icon name="check" />}
                </button>
              </li>
            ))}
          </ul>
          <button
            type="button"
            onClick={() => {
              setOpen(false)
              dialog.value = 'world'
            }}
          >
            Another world…
          </button>
        </div>
      )}
    </div>
  )
}
