import { Button } from './bits.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  readonly title: string
  readonly words: string
  readonly action: string
  readonly run: () => void
  readonly close: () => void
}

/** Asks once more before something is gone for good. */
export const Confirm = ({ title, words, action, run, close }: Props) => (
  <Dialog title={title} close={close}>
    <p>{words}</p>
    <div class="row">
      <Button
        kind="danger"
        onClick={() => {
          close()
          run()
        }}
      >
        {action}
      </Button>
      <Button onClick={close}>Leave it</Button>
    </div>
  </Dialog>
)
