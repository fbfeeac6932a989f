import { Leaps } from '../parts/leaps.tsx'
import { Dialog } from '../parts/dialog.tsx'

/** Advances the clock by a duration or to a time. */
export const AdvanceDialog = ({ close }: { close: () => void }) => (
  <Dialog title="Advance the clock" close={close}>
    <p class="soft">Jobs that fall due in between run in order: settlements, callbacks, reviews.</p>
    <Leaps done={close} />
  </Dialog>
)
