import { freezeOrResume } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { connection } from '../core/store.ts'
import { clock } from '../core/world-clock.ts'
import { Button, Time } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'

/** What holds for every page: the line is broken, the clock stands still. */
export const Bars = () => (
  <>
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
          Time stands still at <Time at={clock.value.now} />
          {clock.value.scheduled > 0 &&
            `; ${counted(clock.value.scheduled, 'thing')} wait${clock.value.scheduled === 1 ? 's' : ''} for it to go on`}
          .
        </span>
        <Button icon="play" onClick={() => void freezeOrResume()}>
          Resume
        </Button>
      </p>
    )}
  </>
)
