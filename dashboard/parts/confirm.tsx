import type { Need } from '../core/access.ts'
import { Button } from './bits.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  readonly title: string
  readonly words: string
  readonly action: string
  readonly run: () => void
  readonly close: () => void
  readonly needs?: Need
}

/** Asks for confirmation before a destructive action. */
export const Confirm = ({ title, words, action, run, close, needs = 'change' }: Props) => (
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
