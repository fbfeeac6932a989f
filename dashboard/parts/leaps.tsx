import type { Prompt } from '../../src/client/types.ts'
import type { AdvanceRequest } from '../../src/generated/control/types.ts'
import schema from 'schema:advanceClock?by'
import { advance } from '../core/actions.ts'
import type { FormSchema } from '../core/form.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { clock, worldNow } from '../core/world-clock.ts'
import { dayIn, instantOf, nextBankingDay, ownZone, timeIn, type ZoneName, zones } from '../core/times.ts'
import { ChipButton } from './bits.tsx'
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

const times: FormSchema = {
  kind: 'object',
  fields: { to: { kind: 'text', required: true }, zone: { kind: 'text', required: true } },
}

function ToTime({ done }: { done?: () => void }) {
  const now = Date.parse(clock.value!.now)
  return (
    <Form<{ to: string; zone: ZoneName }>
      of={times}
      row
      fields={{
        to: {
          label: 'To a time',
          placeholder: `${new Date(now + 86_400_000).toISOString().slice(0, 10)} 09:00`,
        },
        zone: {
          choices: Object.fromEntries(zones.map((zone) => [zone, titles[zone]()])),
          label: 'Time zone',
        },
      }}
      initial={{ zone: 'here' }}
      action="To this time"
      send={async ({ to, zone }) => {
        const at = instantOf(to, zone)
        if (!at) throw new Error(`to must be a time such as 2026-11-30 09:00, got "${to}"`)
        if (at.getTime() < now) throw new Error('to has passed; restore a snapshot to go back')
        const ok = await advance(at)
        if (ok) done?.()
        return ok
      }}
    >
      {({ to = '', zone }) => {
        const at = instantOf(to, zone)
        return (
          <p class="soft small">
            {at
              ? `${timeIn(at.getTime(), 'UTC')} UTC, ${timeIn(at.getTime(), 'Nairobi')} in Nairobi`
              : 'The API uses UTC; days and business days follow Nairobi time, UTC+3.'}
          </p>
        )
      }}
    </Form>
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
