/** What a process tells others of itself; nothing secret. */
export interface ProcessCard {
  /** Its machine and its number there. */
  readonly name: string
  /** Of the package. */
  readonly version: string
  /** What it was told, and a hash of each: settings by variable, files by what they are. */
  readonly told: { readonly [name: string]: string }
}

/** A process as it is listed. Times are milliseconds on the wall. */
export interface ListedProcess extends ProcessCard {
  /** It is the one that lists them. */
  readonly own: boolean
  readonly since: number
  /** When it was last heard of. */
  readonly seen: number
}

/** The processes that share an engine. */
export interface Processes {
  /**
   * Takes part, until the engine is closed.
   * @param card asked for whenever it says that it is there
   * @param onSeen told of those that are there, every few seconds; never where no other can be
   */
  join(card: () => ProcessCard, onSeen: (all: readonly ListedProcess[]) => void): void
  /** Those that were heard of in the last seconds, the oldest first. */
  list(): Promise<readonly ListedProcess[]>
}

/** What two were told otherwise: variables, and what files are for. */
export function differences({ told: one }: ProcessCard, { told: other }: ProcessCard): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name] !== other[name])
    .toSorted()
}
