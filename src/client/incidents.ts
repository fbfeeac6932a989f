import { requireText } from './operations.ts'
import type { Transport } from './transport.ts'
import type { Explanation, Incident } from '../generated/control/types.ts'
import type { ShippedIncident } from '../generated/incidents.ts'

/**
 * The name of an incident: a shipped one or a custom one.
 * @example
 * ```ts
 * const name: IncidentName = 'm-pesa-stalls'
 * const { state } = await world.incident(name)
 * state // => 'running'
 * ```
 */
export type IncidentName = ShippedIncident | (string & {})

/**
 * How to start an incident.
 * @example
 * ```ts
 * const how: StartIncident = { seed: 'monday' }
 * await world.incident('callback-storm', how)
 * ```
 */
export interface StartIncident {
  /** Decides which payments an entry with a share applies to; the name of the world by default. */
  readonly seed?: string | undefined
  /** An incident file as an object; the shipped incident of the name by default. */
  readonly file?: object | undefined
}

/**
 * The incidents of a world: `world.incidents`.
 * @example
 * ```ts
 * const shop = await world.world()
 * await shop.incident('m-pesa-stalls')
 * const { entries } = await shop.incidents.step('m-pesa-stalls')
 * entries[0]?.state // => 'in_force'
 * ```
 */
export interface IncidentsClient {
  /** Lists the shipped incidents and those that were started. */
  list(): Promise<readonly Incident[]>
  /** Starts an incident at the current time of the world's clock. */
  start(name: IncidentName, how?: StartIncident): Promise<Incident>
  /** Moves an incident to the time at which its next entry begins or ends. */
  step(name: IncidentName): Promise<Incident>
  stop(name: IncidentName): Promise<void>
}

export const incidentsOf = ({ call }: Transport): IncidentsClient => ({
  list: async () => (await call('listIncidents')).incidents,
  async start(name, { seed, file } = {}) {
    requireText('incidents.start', 'a name such as "m-pesa-stalls"', name)
    return (await call('startIncident', { path: { name }, body: { seed, file: file as never } })).incident
  },
  step: async (name) => (await call('stepIncident', { path: { name } })).incident,
  stop: async (name) => void (await call('stopIncident', { path: { name } })),
})

/**
 * Returns a sentence for each running incident that had begun before a payment and had no effect on it, because the entry for it
 * has not begun or does not apply.
 */
export async function idleIncidents(
  incidents: IncidentsClient,
  { created_at }: { readonly created_at: string },
  { incidents: effective }: Pick<Explanation, 'incidents'>,
): Promise<readonly string[]> {
  const began = Date.parse(created_at)
  return (await incidents.list())
    .filter(
      ({ name, state, started_at }) =>
        state === 'running' && !effective.includes(name) && Date.parse(started_at!) <= began,
    )
    .map(
      ({ name, next_at }) =>
        `the incident ${name} runs in this world and had no effect on it${next_at === null ? '' : `; its next step is at ${next_at}`}`,
    )
}
