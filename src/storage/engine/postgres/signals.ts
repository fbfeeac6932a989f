import { systemUuid } from '../../../lib/random/random.ts'
import type { Database } from './database.ts'
import { statement } from './statements.ts'

const sendSignal = statement(
  'send_signal',
  'insert into signals(id, kind, world, node) values ($1, $2, $3, $4) on conflict (id) do nothing',
)
const recentSignals = statement(
  'recent_signals',
  `select id::text as id, kind, world, node from signals
    where at > statement_timestamp() - interval '3 seconds' order by at`,
)
const forgetSignals = statement(
  'forget_signals',
  "delete from signals where at < statement_timestamp() - interval '1 minute'",
)

export type Kind = 'dropped' | 'free' | 'requested' | 'wake'

export interface Signal {
  readonly kind: Kind
  readonly world: string
}

/** What processes tell each other, so that they look sooner than they would. */
export class Signals {
  readonly #database: Database
  readonly #node = systemUuid()
  readonly #listeners = new Set<(signal: Signal) => void>()
  #heard = new Set<string>()

  constructor(database: Database) {
    this.#database = database
  }

  listen(listener: (signal: Signal) => void): void {
    this.#listeners.add(listener)
  }

  async send(kind: Kind, world: string): Promise<void> {
    await this.#database.query(sendSignal, [systemUuid(), kind, world, this.#node])
  }

  /** Tells those who listen of what other processes sent; twice of none. */
  async hear(): Promise<void> {
    const rows = await this.#database.query<Signal & { id: string; node: string }>(recentSignals, [])
    const before = this.#heard
    this.#heard = new Set(rows.map(({ id }) => id))
    for (const { id, node, kind, world } of rows)
      if (node !== this.#node && !before.has(id))
        for (const listener of this.#listeners) listener({ kind, world })
  }

  async sweep(): Promise<void> {
    await this.#database.query(forgetSignals, [])
  }
}
