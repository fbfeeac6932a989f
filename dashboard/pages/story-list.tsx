import type { Job, Timeline } from '../../src/generated/control/types.ts'
import { withAccountNames } from '../core/accounts.ts'
import { advance, busy } from '../core/actions.ts'
import { hrefOf } from '../core/route.ts'
import { lasting } from '../core/times.ts'
import { worldNow } from '../core/world-clock.ts'
import { Button, Said, Time } from '../parts/bits.tsx'

/** The steps of a payment, past and planned. */
export const StoryList = ({ of: { events, planned } }: { of: Timeline }) => (
  <ol class="story">
    {events.map(({ at, kind, summary, callback, request }, n) => (
      <li key={`${at} ${n}`}>
        <Time at={at} precise />
        <span class={`kind ${kind}`} aria-hidden="true" />
        <span>
          <Said>{withAccountNames(summary)}</Said>
        </span>
        {request !== null ? (
          <a href={hrefOf('requests', request)}>{request}</a>
        ) : callback !== null ? (
          <a href={hrefOf('callbacks', callback)}>callback {callback}</a>
        ) : null}
      </li>
    ))}
    {planned.map((job) => (
      <Planned key={job.id} of={job} />
    ))}
  </ol>
)

/** Pending jobs with links to their subjects. */
function Planned({ of: { due_at, kind, callback, outcome, error, abandoned } }: { of: Job }) {
  const left = Date.parse(due_at) - (worldNow.value ?? 0)
  const what =
    callback === null ? outcome || kind.replaceAll('_', ' ') : `next attempt of callback ${callback}`
  return (
    <li class="planned">
      <Time at={due_at} precise />
      <span class="kind" aria-hidden="true" />
      <span>
        {abandoned ? 'given up: ' : left > 0 ? `in ${lasting(left)}: ` : 'due: '}
        <Said>{error ? `${what}, ${error}` : what}</Said>
      </span>
      {left > 0 && !abandoned && (
        <Button kind="quiet" disabled={busy.value} onClick={() => void advance(new Date(due_at))}>
          Advance to it
        </Button>
      )}
    </li>
  )
}
