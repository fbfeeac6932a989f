import type { Callback, InboxMessage } from '../../src/client/types.ts'
import { lasting } from '../core/times.ts'
import { worldNow } from '../core/world-clock.ts'
import { Pill, Status } from './bits.tsx'
import { hrefOf, route } from '../core/route.ts'
import { Icon } from './icon.tsx'

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

type Signed = Pick<InboxMessage, 'signature_valid'>

export const verdict = ({ signature_valid }: Signed) =>
  signature_valid === null ? 'not signed' : signature_valid ? 'signature holds' : 'signature fails'

export const Verdict = ({ of }: { of: Signed }) => (
  <Pill tone={of.signature_valid === null ? 'plain' : of.signature_valid ? 'good' : 'bad'}>
    {verdict(of)}
  </Pill>
)

/** States that a list shows one group of failures. */
export const OneGroup = ({ what }: { what: string }) => (
  <p class="bar-note">
    <Icon name="search" />
    <span>Only the {what} that failed for one cause.</span>
    <a class="button" href={hrefOf(route.value.page)}>
      Show all
    </a>
  </p>
)
