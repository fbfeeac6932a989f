import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { IconButton } from './bits.tsx'

interface Props {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
  /** Whether its title is only heard. */
  readonly bare?: boolean
}

/** A dialog of the browser's own: the rest waits, Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, close, children, wide = false, bare = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key arrives: whoever types on at once types into it.
  useLayoutEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement
    dialog.showModal()
    return () => {
      dialog.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={`${wide ? 'wide' : ''} ${bare ? 'bare' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) close()
      }}
    >
      <div class="inside">
        <header class={bare ? 'unseen' : 'bar'}>
          <h2 id={id}>{title}</h2>
          {!bare && <IconButton needs="read" icon="close" label="Close" onClick={close} />}
        </header>
        {children}
      </div>
    </dialog>
  )
}
