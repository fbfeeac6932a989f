import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Need } from '../core/access.ts'
import { Button, IconButton } from './bits.tsx'

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

interface ConfirmProps {
  readonly title: string
  readonly words: string
  readonly action: string
  readonly run: () => void
  readonly needs?: Need
}

export const Confirm = ({
  title,
  words,
  action,
  run,
  close,
  needs = 'change',
}: ConfirmProps & { close: () => void }) => (
  <Dialog title={title} close={close}>
    <p>{words}</p>
    <div class="row">
      <Button
        kind="danger"
        needs={needs}
        onClick={() => {
          close()
          run()
        }}
      >
        {action}
      </Button>
      <Button needs="read" onClick={close}>
        Cancel
      </Button>
    </div>
  </Dialog>
)

type ConfirmButtonProps = ConfirmProps & {
  readonly label: string
  readonly quiet?: boolean
  readonly disabled?: boolean
  /** Why it is disabled. */
  readonly hint?: string | undefined
}

export function ConfirmButton({
  label,
  quiet = false,
  disabled = false,
  hint,
  ...confirm
}: ConfirmButtonProps) {
  const [asked, setAsked] = useState(false)
  const { needs = 'change' } = confirm
  return (
    <>
      <Button
        needs={needs}
        {...(!quiet && { kind: 'danger' })}
        disabled={disabled}
        {...(hint !== undefined && { title: hint })}
        onClick={() => setAsked(true)}
      >
        {label}
      </Button>
      {asked && <Confirm {...confirm} close={() => setAsked(false)} />}
    </>
  )
}
