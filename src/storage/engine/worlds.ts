import type { Moment, View, WorldEvent, WorldRows } from '../store/store.ts'
import type { JournalRecord } from './journal.ts'
import type { ClockState } from '../../lib/clock/clock.ts'

/** Which worlds there are. Several sandboxes may share one; what each remembers of its worlds is a cache over it. */
export interface WorldRegistry {
  /** The names of the worlds there are: created, loaded or written to, and not dropped since. */
  names(): Promise<readonly string[]>
  /** @param since as `Store.read` takes it */
  has(name: string, since?: Moment): Promise<boolean>
  /**
   * Makes a world of these rows, which are taken as they are, not copied. Does nothing when there is one of this name.
   * @param asked any number of worlds when left out
   * @returns whether it was made
   * @throws TooManyWorlds when there are so many, Error when two rows of a table have one key
   */
  create(name: string, rows: WorldRows, asked?: Creation): Promise<boolean>
  /** Forgets a world. */
  drop(name: string): Promise<void>
  /**
   * Lets go what this process remembers of a world that it has closed; it is there still.
   * @returns false when work of it is under way, and nothing was let go
   */
  forget(name: string): boolean
  /** Notes that a world was called. @param at milliseconds on the wall; an earlier time is no news */
  used(name: string, at: number): void
  /** Notes that an API key of a world was used. @param at milliseconds on the wall; an earlier time is no news */
  keyUsed(name: string, username: string, at: number): void
  /** Forgets of a world's keys when they were used, but of these. */
  keepKeys(name: string, usernames: readonly string[]): Promise<void>
  /** When keys of a world were last used, those that were, by username. */
  keysUsed(name: string, usernames: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Worlds by when they were last called, or made where they were not. Opens none. */
  list(query: WorldQuery): Promise<ListedWorlds>
  /** When it was last called, by whichever sandbox; undefined when it never was. */
  lastUsed(name: string): Promise<number | undefined>
  /**
   * Calls `listener` when something became of a world, whoever did it, once it is safe. Returns how to stop.
   */
  onChanged(listener: (name: string, event: WorldEvent) => void): () => void
}

export interface Creation {
  /** How many worlds there may be, this one among them, whoever makes others at the same time. */
  readonly most?: number
  /** When it is made, milliseconds on the wall. */
  readonly at?: number
}

/** A place in the list of worlds: that of a world with this name, which was called then. */
export interface WorldPlace {
  /** Milliseconds on the wall. */
  readonly at: number
  readonly name: string
}

export interface WorldQuery {
  /** What their names begin with. */
  readonly prefix: string
  readonly limit: number
  /** Only those behind this place; from the first when left out. */
  readonly after?: WorldPlace | undefined
}

export interface ListedWorld extends WorldPlace {
  /** When it was last called; undefined when it never was. */
  readonly used_at: number | undefined
  /** Undefined where it is not known. */
  readonly made_at: number | undefined
  /** What its rows take where they are kept. */
  readonly bytes: number
}

export interface ListedWorlds {
  /** Those that were called last first. */
  readonly worlds: readonly ListedWorld[]
  /** How many fit the prefix. */
  readonly total: number
}

/** There may be no more worlds. */
export class TooManyWorlds extends Error {
  override readonly name = 'TooManyWorlds'
}

/** What is asked of all worlds at once, of which none need be open for it. */
export interface WorldDirectory {
  /** How many worlds there are; at once where all are open here. */
  count(): number | Promise<number>
  /** All worlds, and of each whether it may have been made on request, with a beginning of its own; of others that is certain. */
  origins(): Promise<readonly { readonly name: string; readonly made: boolean }[]>
  /** What all worlds owe together. */
  owed(): Promise<{ readonly pending_jobs: number; readonly failing_jobs: number }>
  /** How late the job is that has been due for longest, milliseconds; 0 when none is. @param now milliseconds on the wall */
  lag(now: number): Promise<number>
  /** A page of the worlds that one world's owner looks after. */
  owned(query: OwnedQuery): Promise<OwnedPage>
  /**
   * The worlds that nobody called since a time and that owe nothing that is due until another, milliseconds on the wall.
   * @param guest of those for guests of that kind; null: of all others
   */
  unused(since: number, until: number, guest?: string | null): Promise<readonly string[]>
  /** The worlds for people who are not known. */
  guests(): Promise<readonly GuestWorld[]>
  /** The world of which an invitation is; undefined when there is none. */
  invited(token: string): Promise<string | undefined>
  /** The requests on record of each world that has some. */
  records(): Promise<readonly RecordOf[]>
  /** Where a world stands among all, and when it was last called; undefined where that is known of open worlds only. */
  entry(name: string): Promise<WorldEntry | undefined>
}

export interface RecordOf {
  readonly world: string
  readonly record: Pick<JournalRecord, 'all' | 'get' | 'clear'>
}

export interface GuestWorld {
  readonly parent: string
  readonly guest: string
  readonly used_at: number
}

export interface WorldEntry {
  /** Counts worlds in the order in which they came to be. */
  readonly number: number
  readonly used_at: number | undefined
}

export interface OwnedQuery {
  /** The world whose owner asks: those that were made from it are his, and itself. */
  readonly owner: string
  /** Those that nobody made are his too. */
  readonly isHome: boolean
  /** Only worlds with lower numbers. */
  readonly before: number
  readonly limit: number
  /** What their names or titles hold, in lower case; empty for all. */
  readonly search: string
}

export interface OwnedPage {
  /** The last of them, in order of their numbers. */
  readonly names: readonly string[]
  /** How many there are, whatever the page. */
  readonly total: number
  /** What to ask for as `before` to read on; null at the end. */
  readonly next_before: number | null
}

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
