import { TooManyWorlds } from '../worlds.ts'
import type { Database } from './database.ts'
import * as sql from './statements.ts'
/** Of those who make worlds at once each waits for the one before, so that he sees what that one made. */
const lockMaking = sql.statement('lock_making', 'select one from making for update')
const roomFor = sql.statement('room', 'select count(*) as worlds from worlds where name <> $1')

interface NewWorld {
  readonly name: string
  readonly life: string
  /** Of the statement that makes it; its parts are there. */
  readonly values: readonly unknown[]
}

/**
 * Makes a world unless there is one of its name. Returns whether it did.
 * @param most how many there may be
 * @throws TooManyWorlds when there are so many
 */
export async function makeOneOf(database: Database, most: number, world: NewWorld): Promise<boolean> {
  if (most === Infinity) return (await database.query(sql.create, world.values)).length > 0
  const made = await database.lend(async (client) => {
    const [, , found] = await Promise.all([
      client.query('begin'),
      client.query(lockMaking),
      client.query({ ...roomFor, values: [world.name] }),
    ])
    const isFull = (found.rows as readonly { readonly worlds: number }[])[0]!.worlds >= most
    const [created] = await Promise.all([
      isFull ? undefined : client.query({ ...sql.create, values: [...world.values] }),
      client.query(isFull ? 'rollback' : 'commit'),
    ])
    return created?.rows.length
  })
  if (made !== undefined) return made > 0
  await database.query(sql.dropParts, [world.name, world.life])
  throw new TooManyWorlds(`there are ${most} worlds`)
}
