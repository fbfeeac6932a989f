/** What the database is told of worlds beside their rows, so that it can be asked of many without reading any. */
import { WorldView } from '../../store/change.ts'
import type { WorldTables } from '../../store/world.ts'
import type { WorldRows } from '../../store/store.ts'
import { type Card, cardOf } from '../card.ts'
import type { Database } from './database.ts'
import type { Told } from './replica.ts'
import { statement } from './statements.ts'

/** Worlds to which something wrote that knows of no cards: an earlier release. */
const unknown = statement(
  'unknown',
  `select name from worlds where card_of is distinct from life || '.' || version order by born limit 64`,
)
const put = statement(
  'put_card',
  `update worlds set card_of = life || '.' || version, next_due = $4, pending = $5, failing = $6, parent = $7, title = $8, guest = $9
    where name = $1 and life = $2 and version = $3`,
)

/** Remembers of which worlds invitations are, since their addresses do not say so. */
export const noteInvites = statement(
  'note_invites',
  `insert into invites(token, world) select * from unnest($1::text[], $2::text[])
   on conflict (token) do update set world = excluded.world`,
)

/** The values of a card, in the order in which statements take them. */
export const cardValues = ({ next_due, pending, failing, parent, title, guest }: Card) =>
  [next_due, pending, failing, parent, title, guest] as const

/** Lists of values, one for each column of some rows. */
export const columnsOf = (rows: readonly (readonly unknown[])[]): unknown[][] =>
  rows[0]!.map((_, n) => rows.map((row) => row[n]))

export function cardIn(tables: WorldTables): Card {
  return cardOf(new WorldView(tables))
}

/** The tokens of invitations that changes wrote, each with its world. */
export const invitesIn = (
  world: string,
  told: readonly Told[],
): (readonly [token: string, world: string])[] =>
  told.flatMap(({ written }) =>
    written.flatMap(({ table, key, row }) => (table === 'invites' && row ? [[String(key), world]] : [])),
  )

/** The same of rows that take the place of a world's. */
export async function noteInvitesOf(database: Database, world: string, rows: WorldRows): Promise<void> {
  const tokens = rows.invites?.map(({ token }) => token) ?? []
  if (tokens.length > 0) await database.query(noteInvites, [tokens, tokens.map(() => world)])
}

/** A card, and of which life and version of its world it is. */
export interface CardOf {
  readonly life: string
  readonly version: number
  readonly card: Card
}

/** Makes the cards that are missing. @param read reads one from the rows; undefined where the world is gone */
export async function mendCards(
  database: Database,
  read: (world: string) => Promise<CardOf | undefined>,
): Promise<void> {
  for (const { name } of await database.query<{ name: string }>(unknown, [])) {
    const made = await read(name)
    if (made) await database.query(put, [name, made.life, made.version, ...cardValues(made.card)])
  }
}
