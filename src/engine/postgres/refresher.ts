import type { Database } from './database.ts'
import type { Place } from './replica.ts'
import type { Replicas } from './replicas.ts'
import { since, type SinceRow } from './statements.ts'

/** What the database said, and at which moment it was asked. */
export interface Answer {
  readonly rows: readonly SinceRow[]
  readonly moment: number
}

interface Asked {
  readonly place: Place | undefined
  readonly answered: ((answer: Answer) => void)[]
  readonly failed: ((error: unknown) => void)[]
}

/** Asks what happened in worlds, in one statement for all who ask while another is under way. */
export class Refresher {
  readonly #database: Database
  readonly #replicas: Replicas
  #waiting = new Map<string, Asked>()
  #running = false

  constructor(database: Database, replicas: Replicas) {
    this.#database = database
    this.#replicas = replicas
  }

  /** How the world is now, and what was appended since; no row when there is none. */
  ask(name: string, place: Place | undefined): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      const asked = this.#waiting.get(name)
      if (asked) {
        asked.answered.push(resolve)
        asked.failed.push(reject)
      } else this.#waiting.set(name, { place, answered: [resolve], failed: [reject] })
    })
    if (!this.#running) void this.#run()
    return answer
  }

  async #run(): Promise<void> {
    this.#running = true
    // Whoever asks in this turn is asked for with the first.
    await undefined
    while (this.#waiting.size > 0) {
      const asked = this.#waiting
      this.#waiting = new Map()
      const moment = this.#replicas.nextMoment()
      try {
        const rows = await this.#database.query<SinceRow>(since, haveOf(asked, this.#replicas.node))
        const byName = grouped(rows)
        for (const [name, { answered }] of asked)
          for (const resolve of answered) resolve({ rows: byName.get(name) ?? [], moment })
      } catch (error) {
        for (const { failed } of asked.values()) for (const reject of failed) reject(error)
      }
    }
    this.#running = false
  }
}

/** The parameters of `since`. */
export function haveOf(
  places: ReadonlyMap<string, { readonly place: Place | undefined }>,
  node: string,
): unknown[] {
  const entries = [...places.values()]
  return [
    [...places.keys()],
    entries.map(({ place }) => place?.life ?? ''),
    entries.map(({ place }) => place?.version ?? 0),
    node,
  ]
}

/** The rows of each world. */
export function grouped(rows: readonly SinceRow[]): ReadonlyMap<string, readonly SinceRow[]> {
  const byName = new Map<string, SinceRow[]>()
  for (const row of rows) {
    const known = byName.get(row.name)
    if (known) known.push(row)
    else byName.set(row.name, [row])
  }
  return byName
}
