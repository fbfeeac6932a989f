import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { IconButton } from './bits.tsx'

interface Props {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
  /** Whether the title is only announced. */
  readonly bare?: boolean
}

/** A native dialog: modal, closed by Escape, and returns the focus. */
export function Dialog({ title, close, children, wide = false, bare = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Runs before the next key event, so that typing continues in the dialog.
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
