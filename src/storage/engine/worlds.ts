import type { Moment, View, WorldEvent, WorldRows } from '../store/change.ts'
import type { JournalRecord } from './journal.ts'
import type { ClockState } from '../../lib/clock/clock.ts'

/** The list of worlds, shared by all processes. */
export interface WorldRegistry {
  names(): Promise<readonly string[]>
  /** @param since - As in `Store.read`. */
  has(name: string, since?: Moment): Promise<boolean>
  /**
   * Creates a world unless it exists. The rows are not copied.
   * @returns whether it was created
   * @throws {TooManyWorlds} If `most` worlds exist.
   * @throws {Error} If two rows of a table have the same key.
   */
  create(name: string, rows: WorldRows, options?: Creation): Promise<boolean>
  drop(name: string): Promise<void>
  /**
   * Frees the memory of a world that this process has closed.
   * @returns false, without effect, if the world is in use
   */
  forget(name: string): boolean
  /** Records that a world was called. @param at - Milliseconds in real time; earlier times are ignored. */
  used(name: string, at: number): void
  /** Records that an API key was used. @param at - Milliseconds in real time; earlier times are ignored. */
  keyUsed(name: string, username: string, at: number): void
  /** Forgets the last use of all keys except these. */
  keepKeys(name: string, usernames: readonly string[]): Promise<void>
  keysUsed(name: string, usernames: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Lists worlds by last call or creation, latest first, without opening them. */
  list(query: WorldQuery): Promise<ListedWorlds>
  /** Returns when a world was last called, in any process, or undefined if never. */
  lastUsed(name: string): Promise<number | undefined>
  /** Calls `listener` after each stored change of the list, in any process. Returns a function that removes it. */
  onChanged(listener: (name: string, event: WorldEvent) => void): () => void
}

export interface Creation {
  readonly most?: number
  readonly at?: number
}

export interface WorldPlace {
  /** The last call or creation, milliseconds in real time. */
  readonly at: number
  readonly name: string
}

export interface WorldQuery {
  readonly prefix: string
  readonly limit: number
  readonly after?: WorldPlace | undefined
}

export interface ListedWorld extends WorldPlace {
  readonly used_at: number | undefined
  readonly created_at: number | undefined
  readonly bytes: number
}

export interface ListedWorlds {
  readonly worlds: readonly ListedWorld[]
  readonly total: number
}

export class TooManyWorlds extends Error {
  override readonly name = 'TooManyWorlds'
}

/** Queries over all worlds, without opening them. */
export interface WorldDirectory {
  count(): number | Promise<number>
  /** All worlds, with whether each was created by a request, as far as known. */
  origins(): Promise<readonly { readonly name: string; readonly made: boolean }[]>
  owed(): Promise<{ readonly pending_jobs: number; readonly failing_jobs: number }>
  /** Delay of the most overdue job, milliseconds; 0 if none is overdue. @param now - Milliseconds in real time. */
  lag(now: number): Promise<number>
  /** A page of the worlds that one owner manages. */
  owned(query: OwnedQuery): Promise<OwnedPage>
  /**
   * Worlds not called since `since` and without jobs due before `until`, milliseconds in real time.
   * @param guest - Only guests of this kind, as `guestKind` returns it; null for all other worlds.
   */
  unused(since: number, until: number, guest?: string | null): Promise<readonly string[]>
  guests(): Promise<readonly GuestWorld[]>
  invited(token: string): Promise<string | undefined>
  /** The request logs that are not empty. */
  records(): Promise<readonly RecordOf[]>
  /** A world's number and last call, or undefined if only known for open worlds. */
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
  readonly number: number
  readonly used_at: number | undefined
}

export interface OwnedQuery {
  /** The owner's world, which the list includes with the worlds created from it. */
  readonly owner: string
  /** Whether to include worlds that no owner created. */
  readonly isHome: boolean
  /** Only worlds with lower numbers. */
  readonly before: number
  readonly limit: number
  /** Part of the name or title, in lower case; empty for all. */
  readonly search: string
}

export interface OwnedPage {
  readonly names: readonly string[]
  readonly total: number
  /** `before` of the next page; null at the end. */
  readonly next_before: number | null
}

// Names of rows in the table `state`, which also appear in files and exports.
/** What the world was created from: a WorldTemplate. */
export const TEMPLATE = 'origin'
/** Overrides of the process's settings: a SettingsChange. */
export const SETTINGS = 'settings'
export const CLOCK_STATE = 'clock'
export const LEASE_STATE = 'lease'

/** Summary of a world, for queries without opening it. */
export interface Card {
  /** When its first job is due, milliseconds in real time, or null if none is, or its clock is stopped. */
  readonly next_due: number | null
  /** Number of jobs, including those given up; and of failing ones. */
  readonly pending: number
  readonly failing: number
  /** The world whose owner created it, and its title there. */
  readonly parent: string | null
  readonly title: string | null
  /** The kind of guest that it was created for, and its plan. */
  readonly guest: string | null
}

/** Returns the kind of guest, with the plan after a space; null for other worlds. Worlds of a kind live equally long. */
export const guestKind = (
  template: { readonly guest?: string | undefined; readonly plan?: string | undefined } | undefined,
): string | null => {
  if (template?.guest === undefined) return null
  return template.plan === undefined ? template.guest : `${template.guest} ${template.plan}`
}

export function cardOf(view: View): Card {
  const valueOf = <Value>(name: string) => view.get('state', name)?.value as Value | undefined
  const template = valueOf<{ readonly parent: string; readonly guest?: string; readonly plan?: string }>(
    TEMPLATE,
  )
  return {
    next_due: nextDue(view, valueOf(CLOCK_STATE), valueOf<{ readonly until: number }>(LEASE_STATE)?.until),
    pending: view.count('jobs', 'due', 0) + view.count('jobs', 'due', 1),
    failing: view.find('jobs', 'failing', 'yes').length,
    parent: template?.parent ?? null,
    title: valueOf<{ readonly name?: string | null }>(SETTINGS)?.name ?? null,
    guest: guestKind(template),
  }
}

const REAL_TIME: ClockState = { real_anchor: 0, world_anchor: 0, speed: 1 }

/** E-mails and the end of a world lease are due in real time, regardless of the world's clock. */
function nextDue(view: View, clock: ClockState = REAL_TIME, leased = Infinity): number | null {
  const { real_anchor, world_anchor, speed } = clock
  const [job] = speed === 0 ? [] : view.walk('jobs', 'due', 0, { offset: 0, limit: 1 })
  const mails = view.below('mailJobs', { before: Infinity, limit: Infinity })
  const first = mails.reduce(
    (least, { due_at }) => Math.min(least, due_at),
    Math.min(leased, job ? real_anchor + (job.due_at - world_anchor) / speed : Infinity),
  )
  return first === Infinity ? null : first
}
