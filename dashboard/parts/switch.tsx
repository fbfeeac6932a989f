import { refusal } from '../core/access.ts'
import { busy } from '../core/actions.ts'

interface Props {
  readonly on: boolean
  readonly set: (on: boolean) => void
  readonly children: string
  /** Whether it only affects this window. */
  readonly own?: boolean
}

/** A toggle that takes effect immediately. */
export const Switch = ({ on, set, children, own = false }: Props) => (
  <label class="joined">
    <input
      type="checkbox"
      role="switch"
      checked={on}
      disabled={busy.value || (!own && refusal('change') !== undefined)}
      onChange={({ currentTarget }) => set(currentTarget.checked)}
    />
    {children}
  </label>
)
