import type { JournalRecord } from './journal.ts'

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
