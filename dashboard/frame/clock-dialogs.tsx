import { Leaps } from '../parts/leaps.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { settle } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { clock } from '../core/world-clock.ts'

/** Advances the clock by a duration or to a time. */
export const AdvanceDialog = ({ close }: { close: () => void }) => (
  <Dialog title="Advance the clock" close={close}>
    <p class="soft">Jobs that fall due in between run in order: settlements, callbacks, reviews.</p>
    <Leaps done={close} />
  </Dialog>
)

/** Asks before everything pending is settled. */
export const SettleDialog = ({ close }: { close: () => void }) => (
  <Confirm
    title={`Run ${counted(clock.value?.scheduled ?? 0, 'pending job')}?`}
    words="Every pending payment, callback and review ends now, and the clock moves to the last of them."
    action="Settle all"
    run={() => void settle()}
    close={close}
  />
)
