import { settle } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { clock } from '../core/world-clock.ts'
import { Confirm } from '../parts/dialog.tsx'

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
