import { systemMonotonic } from '../../../lib/clock/steady.ts'
import type { Database } from './database.ts'
import type { Replica } from './replica.ts'
import type { Replicas } from './replicas.ts'
import { since, type SinceRow } from './statements.ts'

/** What the database said, and at which moment it was asked. */
export interface Answer {
  readonly rows: readonly SinceRow[]
  readonly moment: number
}

interface Asked {
  readonly answered: ((answer: Answer) => void)[]
  readonly failed: ((error: unknown) => void)[]
}

/** Statements under way at a time: more would each ask for less. */
const MOST_RUNNING = 2

/** Asks what happened in worlds, in one statement for all who ask while others are under way. */
export class Refresher {
  readonly #database: Database
  readonly #replicas: Replicas
  #waiting = new Map<string, Asked>()
  #running = 0

  constructor(database: Database, replicas: Replicas) {
    this.#database = database
    this.#replicas = replicas
  }

  /** How the world is now, and what was appended since; no row when there is none. */
  ask(name: string): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      const asked = this.#waiting.get(name)
      if (asked) {
        asked.answered.push(resolve)
        asked.failed.push(reject)
      } else this.#waiting.set(name, { answered: [resolve], failed: [reject] })
    })
    if (this.#running < MOST_RUNNING) void this.#run()
    return answer
  }

  async #run(): Promise<void> {
    this.#running += 1
    // Whoever asks in this turn is asked for with the first.
    await undefined
    while (this.#waiting.size > 0) {
      const asked = this.#waiting
      this.#waiting = new Map()
      const moment = this.#replicas.nextMoment()
      try {
        const sent = systemMonotonic()
        const rows = await this.#database.query<SinceRow>(since, haveOf(asked.keys(), this.#replicas))
        if (rows[0]) this.#database.clock.note(sent, systemMonotonic(), rows[0].clock)
        const byName = grouped(rows)
        for (const [name, { answered }] of asked)
          for (const resolve of answered) resolve({ rows: byName.get(name) ?? [], moment })
      } catch (error) {
        for (const { failed } of asked.values()) for (const reject of failed) reject(error)
      }
    }
    this.#running -= 1
  }
}

/** The parameters of `since`: what this process has of worlds, and what it is writing; and who it is. */
export function haveOf(
  names: Iterable<string>,
  replicas: { readonly node: string; get(name: string): Replica | undefined },
): unknown[] {
  const all = [...names]
  const places = all.map((name) => replicas.get(name))
  return [
    all,
    places.map((place) => place?.life ?? ''),
    places.map((place) => place?.coming ?? 0),
    replicas.node,
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
