import type { ClockState } from '../../lib/clock/clock.ts'
import type { View } from '../store/store.ts'

// The names of rows in the table `state`, which files and exports have.
/** What the world was made from; its value is a WorldTemplate. */
export const TEMPLATE = 'origin'
/** How its settings differ from the process's; its value is a SettingsChange. */
export const SETTINGS = 'settings'
/** How the world's clock goes, kept over a restart; its value is a ClockState. */
export const CLOCK_STATE = 'clock'
/** Who uses it, and until when; its value is a Lease. */
export const LEASE_STATE = 'lease'

/** What is told of a world without opening it. */
export interface Card {
  /** When the first of what it owes is due, milliseconds on the wall; null when nothing is, or its clock stands still. */
  readonly next_due: number | null
  /** How many jobs it has, those that were given up included; and how many of them went wrong. */
  readonly pending: number
  readonly failing: number
  /** The world whose owner made it, and what he calls it. */
  readonly parent: string | null
  readonly title: string | null
  /** For whom it was made who was not known. */
  readonly guest: string | null
}

/** The card of a world with these rows. */
export function cardOf(view: View): Card {
  const valueOf = <Value>(name: string) => view.get('state', name)?.value as Value | undefined
  const template = valueOf<{ readonly parent: string; readonly guest?: string }>(TEMPLATE)
  return {
    next_due: nextDue(view, valueOf(CLOCK_STATE), valueOf<{ readonly until: number }>(LEASE_STATE)?.until),
    pending: view.count('jobs', 'due', 0) + view.count('jobs', 'due', 1),
    failing: view.find('jobs', 'failing', 'yes').length,
    parent: template?.parent ?? null,
    title: valueOf<{ readonly name?: string | null }>(SETTINGS)?.name ?? null,
    guest: template?.guest ?? null,
  }
}

const FOLLOWS_THE_WALL: ClockState = { wall_anchor: 0, world_anchor: 0, factor: 1 }

/** Mails are due by the wall, whatever the world's clock says, and so is the end of a lease. */
function nextDue(view: View, clock: ClockState = FOLLOWS_THE_WALL, leased = Infinity): number | null {
  const { wall_anchor, world_anchor, factor } = clock
  const [job] = factor === 0 ? [] : view.walk('jobs', 'due', 0, { offset: 0, limit: 1 })
  const mails = view.below('mailJobs', { before: Infinity, limit: Infinity })
  const first = mails.reduce(
    (least, { due_at }) => Math.min(least, due_at),
    Math.min(leased, job ? wall_anchor + (job.due_at - world_anchor) / factor : Infinity),
  )
  return first === Infinity ? null : first
}
