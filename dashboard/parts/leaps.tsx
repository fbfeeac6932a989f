import { useState } from 'preact/hooks'
import type { Prompt } from '../../src/client/types.ts'
import type { AdvanceRequest } from '../../src/generated/control/types.ts'
import schema from 'schema:advanceClock?by'
import { mayChange } from '../core/access.ts'
import { advance } from '../core/actions.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { clock, worldNow } from '../core/world-clock.ts'
import { dayIn, instantOf, nextBankingDay, ownZone, timeIn, type ZoneName, zones } from '../core/times.ts'
import { Button, ChipButton, Options } from './bits.tsx'
import { Form } from './form.tsx'

const leaps = [
  ['1m', '+1 min'],
  ['10m', '+10 min'],
  ['1h', '+1 h'],
  ['1d', '+1 d'],
  ['3d', '+3 d'],
  ['30d', '+30 d'],
] as const

/** Advances the clock by a duration, to the next event, or to a time. */
export const Leaps = ({ done }: { done?: () => void }) => (
  <>
    <div class="chips" role="group" aria-label="By">
      {leaps.map(([by, title]) => (
        <ChipButton key={by} onClick={() => void advance(by).then((ok) => ok && done?.())}>
          {title}
        </ChipButton>
      ))}
    </div>
    <Ends />
    <Form<AdvanceRequest>
      of={schema}
      fields={{ by: { input: { required: true, autofocus: done !== undefined } } }}
      row
      action="Advance"
      send={async ({ by }) => {
        const ok = await advance(String(by))
        if (ok) done?.()
        return ok
      }}
    />
    <ToTime {...(done && { done })} />
  </>
)

/** Advances to the next noteworthy time. */
function Ends() {
  const { client, world } = session.value!
  const { value: prompts = [] } = useValue(
    () => client.prompts.list({ state: 'waiting' }),
    [world],
    ['prompt', 'transaction'],
  )
  const end = prompts
    .flatMap(({ expires_at }: Prompt) => (expires_at === null ? [] : [Date.parse(expires_at)]))
    .toSorted((a, b) => a - b)[0]
  const due = clock.value?.next?.due_at
  const bank = nextBankingDay(Date.parse(clock.value!.now))
  return (
    <div class="chips" role="group" aria-label="To">
      <ChipButton disabled={end === undefined} onClick={() => void advance(new Date(end! + 1_000))}>
        {end === undefined ? 'No waiting prompt' : 'To the end of the prompt'}
      </ChipButton>
      <ChipButton disabled={due === undefined} onClick={() => void advance(new Date(due!))}>
        {due === undefined ? 'Nothing is due' : 'To the next job'}
      </ChipButton>
      <ChipButton onClick={() => void advance(new Date(bank))}>
        To the next business day, {dayIn(bank, 'Nairobi')}
      </ChipButton>
    </div>
  )
}

const titles: { readonly [zone in ZoneName]: () => string } = {
  here: () => `here, ${ownZone()}`,
  UTC: () => 'UTC',
  Nairobi: () => 'Nairobi, UTC+3',
}

function ToTime({ done }: { done?: () => void }) {
  const [zone, setZone] = useState<ZoneName>('here')
  const [text, setText] = useState('')
  const at = instantOf(text, zone)
  const now = Date.parse(clock.value!.now)
  const over = at !== undefined && at.getTime() < now
  const go = (event: Event) => {
    event.preventDefault()
    if (!at) return
    void advance(at).then((ok) => {
      if (!ok) return
      setText('')
      done?.()
    })
  }
  return (
    <form class="form in-row" onSubmit={go}>
      <label class="field">
        To a time
        <input
          required
          placeholder={`${new Date(now + 86_400_000).toISOString().slice(0, 10)} 09:00`}
          autocomplete="off"
          value={text}
          disabled={!mayChange.value}
          aria-describedby="to-time-said"
          aria-invalid={over}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <label class="field">
        Time zone
        <select value={zone} onChange={({ currentTarget }) => setZone(currentTarget.value as ZoneName)}>
          <Options of={zones.map((each) => [each, titles[each]()])} />
        </select>
      </label>
      <Button type="submit" disabled={at === undefined || over}>
        To this time
      </Button>
      <p id="to-time-said" class={over ? 'wrong small' : 'soft small'}>
        {over
          ? 'That time has passed. Restore a snapshot to go back.'
          : at
            ? `${timeIn(at.getTime(), 'UTC')} UTC, ${timeIn(at.getTime(), 'Nairobi')} in Nairobi`
            : 'The API uses UTC; days and business days follow Nairobi time, UTC+3.'}
      </p>
    </form>
  )
}

/** The world's time in other time zones. */
export function Elsewhere() {
  const now = worldNow.value!
  return (
    <p class="soft small num">
      {timeIn(now, 'UTC')} UTC
      <br />
      {timeIn(now, 'Nairobi')} in Nairobi
    </p>
  )
}
