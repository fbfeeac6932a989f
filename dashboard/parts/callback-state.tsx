import type { Callback } from '../../src/client/types.ts'
import { lasting } from '../core/durations.ts'
import { worldNow } from '../core/world-clock.ts'
import { Pill, Status } from './bits.tsx'

/** The state of a callback with the time until its next attempt. */
export function CallbackState({
  of: { state, attempt_count, next_attempt_at, last_status },
}: {
  of: Callback
}) {
  if (state !== 'pending') return <Status of={state} />
  const left = next_attempt_at === null ? 0 : Date.parse(next_attempt_at) - (worldNow.value ?? 0)
  const wait = left > 0 ? `in ${lasting(left)}` : 'due'
  return attempt_count === 0 ? (
    <Pill tone="wait">{wait}</Pill>
  ) : (
    <Pill tone="bad">{last_status ? `${last_status}, again ${wait}` : `again ${wait}`}</Pill>
  )
}
