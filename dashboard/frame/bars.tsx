import { freezeOrResume } from '../core/actions.ts'
import { mayChange } from '../core/access.ts'
import { counted, endOf } from '../core/format.ts'
import { session } from '../core/session.ts'
import { connection } from '../core/store.ts'
import { clock } from '../core/world-clock.ts'
import { Button, Time } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'

/** Notices for all pages: read-only key, lost connection, frozen clock. */
export const Bars = () => (
  <>
    {session.value && !mayChange.value && <OnlyLooks />}
    {connection.value.state === 'broken' && (
      <p class="bar-note bad" role="status">
        <Icon name="warn" />
        <span>
          The sandbox does not answer. What you see is what was there before; it goes on by itself when it is
          back.
        </span>
      </p>
    )}
    {clock.value?.frozen && (
      <p class="bar-note wait">
        <Icon name="pause" />
        <span>
          The clock is frozen at <Time at={clock.value.now} />
          {clock.value.scheduled > 0 && `; ${counted(clock.value.scheduled, 'job')} pending`}.
        </span>
        <Button icon="play" onClick={() => void freezeOrResume()}>
          Resume
        </Button>
      </p>
    )}
  </>
)

/** Explains why buttons are disabled. */
function OnlyLooks() {
  const { username, expires_at } = session.value!.key
  return (
    <p class="bar-note">
      <Icon name="keys" />
      <span>
        You are using a read-only key, <bdi>{username}</bdi>
        {expires_at && (
          <>
            , until <time dateTime={expires_at}>{endOf(expires_at)}</time>
          </>
        )}
        .
      </span>
    </p>
  )
}
