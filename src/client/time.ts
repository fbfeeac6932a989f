/** A world's clock, and the jobs that wait for it. */
import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { WorldClient } from './types.ts'

/** `world.clock`. */
export const clockOf = ({ call }: Transport): WorldClient['clock'] => ({
  now: async () => new Date((await call('getClock')).now),
  show: () => call('getClock'),
  freeze: async () => void (await call('freezeClock')),
  resume: async () => void (await call('resumeClock')),
  speed: async (factor) => void (await call('setClockSpeed', { body: { factor } })),
  advance: (to) => call('advanceClock', { body: furtherTo(to) }),
})

/** A text that is no time is a duration; the sandbox refuses what is neither. */
function furtherTo(to: string | Date) {
  if (to instanceof Date) return { to: to.toISOString() }
  return /^\d{4}-/.test(to) ? { to } : { by: to }
}

/** `world.jobs`. */
export const jobsOf =
  (transport: Transport): WorldClient['jobs'] =>
  async (filter = {}) => {
    requireKnown('jobs', filter, ['state', 'kind', 'until'])
    return listOf(transport, 'listJobs', 'jobs', { query: filter })
  }
