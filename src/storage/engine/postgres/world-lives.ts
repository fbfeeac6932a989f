import { sliceOf } from '../../../lib/clock/time-slice.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import { stillValid } from '../../store/revoked-keys.ts'
import type { WorldRows } from '../../store/store.ts'
import { worldInSlices, type WorldTables } from '../../store/world.ts'
import { cardIn, cardValues, noteInvitesOf } from './cards.ts'
import type { Database } from './database.ts'
import { makeOneOf } from './make-world.ts'
import { forgetOld, putParts } from './parts.ts'
import { Replica, textOf } from './replica.ts'
import type { Replicas } from './replicas.ts'
import { type RevokedRow, revokedOf, revokedSince } from './snapshots.ts'
import * as sql from './statements.ts'

/** Where a world was when it was given another life. */
interface Kept {
  readonly born: string
  readonly version: number
}

/** A life whose rows are in the database, and that no world has yet. */
interface NewLife {
  readonly life: string
  readonly bytes: number
  readonly tables: WorldTables
}

/**
 * Where worlds begin, begin anew and end. Whoever calls these has the world for himself.
 * Rows go into the database as a life that no world has; then one statement gives it to the world.
 */
export class WorldLives {
  readonly #database: Database
  readonly #replicas: Replicas

  constructor(database: Database, replicas: Replicas) {
    this.#database = database
    this.#replicas = replicas
  }

  /** A world has these rows from now on, whether there was one or not. Others hear what was written to those before. */
  async begin(name: string, rows: WorldRows, since?: number): Promise<'created' | 'replaced'> {
    const made = await this.#put(name, rows)
    for (;;) {
      const replica =
        since === undefined ? await this.#replace(name, made) : await this.#restore(name, made, rows, since)
      if (replica) {
        this.#replicas.set(name, replica)
        await this.#replicas.onLeap(name, replica)
        return 'replaced'
      }
      if (await this.#give(name, made, Infinity)) return 'created'
    }
  }

  async #replace(name: string, { life, bytes, tables }: NewLife): Promise<Replica | undefined> {
    const values = [name, life, bytes, ...cardValues(cardIn(tables))]
    const [kept] = await this.#database.query<Kept>(sql.replace, values)
    return kept && new Replica({ ...kept, life }, tables)
  }

  /**
   * The same for rows of an earlier version. Keys that were revoked since are revoked in the transaction that gives the world its
   * life: nothing can revoke another between the look and the end.
   */
  #restore(name: string, { life, bytes, tables }: NewLife, rows: WorldRows, since: number) {
    return this.#database.lend(async (client) => {
      const [, , found] = await Promise.all([
        client.query('begin'),
        client.query({ ...sql.lockWaiting, values: [[name]] }),
        client.query({ ...revokedSince, values: [name, since] }),
      ])
      const keys = stillValid(rows, revokedOf(found.rows as RevokedRow[]))
      const writes = textOf(keys.map((row) => ({ table: 'apiKeys', key: row.username, row })))
      const [replaced] = await Promise.all([
        client.query({ ...sql.replace, values: [name, life, bytes, ...cardValues(cardIn(tables))] }),
        keys.length > 0 &&
          client.query({ ...sql.appendOne, values: [name, life, systemUuid(), writes, writes.length] }),
        client.query('commit'),
      ])
      const [kept] = replaced.rows as Kept[]
      const replica = kept && new Replica({ ...kept, life }, tables)
      if (keys.length > 0) replica?.apply({ version: replica.version + 1, writes, time: null })
      return replica
    })
  }

  /**
   * Makes a world of these rows where there is none of this name. Returns whether it did.
   * @param most how many worlds there may be
   * @throws TooManyWorlds when there are so many
   */
  async make(name: string, rows: WorldRows, most: number): Promise<boolean> {
    return this.#give(name, await this.#put(name, rows), most)
  }

  async end(name: string): Promise<void> {
    const [gone] = await this.#database.query<{ life: string }>(sql.drop, [name])
    if (gone) await this.#database.query(sql.dropParts, [name, gone.life])
    if (gone) await this.#database.query(sql.dropLog, [name])
    this.#replicas.know(name)
    this.#replicas.drop(name)
  }

  /** Forgets the rows of a life that is over, and what else nobody reads any more. */
  async forget(name: string, life: string): Promise<void> {
    await this.#database.query(sql.dropParts, [name, life])
    await forgetOld(this.#database, name)
  }

  async #put(name: string, rows: WorldRows): Promise<NewLife> {
    const tables = await worldInSlices(rows, sliceOf(name))
    const life = systemUuid()
    const bytes = await putParts(this.#database, { name, life, base: 0 }, rows)
    await noteInvitesOf(this.#database, name, rows)
    return { life, bytes, tables }
  }

  async #give(name: string, { life, bytes, tables }: NewLife, most: number): Promise<boolean> {
    const born = systemUuid()
    const values = [name, born, life, bytes, ...cardValues(cardIn(tables))]
    const made = await makeOneOf(this.#database, most, { name, life, values })
    if (made) this.#replicas.set(name, new Replica({ born, life, version: 0 }, tables))
    return made
  }
}
