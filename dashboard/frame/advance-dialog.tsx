import { useState } from 'preact/hooks'
import { advance, busy } from '../core/actions.ts'
import { worldNow } from '../core/world-clock.ts'
import { Button } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'

const leaps = ['1m', '10m', '1h', '24h', '72h', '30d']

/** Advances the clock by a duration or to a time. */
export function AdvanceDialog({ close }: { close: () => void }) {
  const [by, setBy] = useState('1h')
  const [to, setTo] = useState('')
  const run = async (event: Event) => {
    event.preventDefault()
    if (await advance(to === '' ? by : new Date(to))) close()
  }
  return (
    <Dialog title="Advance the clock" close={close}>
      <form class="fields" onSubmit={(event) => void run(event)}>
        <p class="soft">Jobs that fall due in between run in order: settlements, callbacks, reviews.</p>
        <div class="chips" role="group" aria-label="By">
          {leaps.map((leap) => (
            <button
              key={leap}
              type="button"
              class="chip"
              aria-pressed={to === '' && by === leap}
              onClick={() => {
                setBy(leap)
                setTo('')
              }}
            >
              {leap}
            </button>
          ))}
        </div>
        <label>
          By
          <input
            value={by}
            onInput={({ currentTarget }) => setBy(currentTarget.value)}
            disabled={to !== ''}
            autofocus
          />
        </label>
        <label>
          Or to a time
          <input
            type="datetime-local"
            step="1"
            value={to}
            min={localText(worldNow.peek() ?? 0)}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </label>
        <Button kind="main" type="submit" disabled={busy.value}>
          Advance
        </Button>
      </form>
    </Dialog>
  )
}

/** Formats a time for an input field, in the reader's time zone. */
function localText(at: number): string {
  const date = new Date(at)
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
