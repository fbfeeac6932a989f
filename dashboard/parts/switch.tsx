import { busy } from '../core/actions.ts'

interface Props {
  readonly on: boolean
  readonly set: (on: boolean) => void
  readonly children: string
}

/** What is so or not, and is changed at once. */
export const Switch = ({ on, set, children }: Props) => (
  <label class="joined">
    <input
      type="checkbox"
      role="switch"
      checked={on}
      disabled={busy.value}
      onChange={({ currentTarget }) => set(currentTarget.checked)}
    />
    {children}
  </label>
)
