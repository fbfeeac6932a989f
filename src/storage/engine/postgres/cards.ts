/** What the database has of worlds beside their rows, so that it can be asked of many without reading any. */
import { WorldView } from '../../store/change.ts'
import type { WorldRows } from '../../store/store.ts'
import type { WorldTables } from '../../store/world.ts'
import { type Card, cardOf } from '../worlds.ts'
import { type Database, statement } from './database.ts'
import type { CommitNotice } from './replicas.ts'

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

/** The tokens of invitations that changes wrote, each once and with its world: one statement cannot write a row twice. */
export const invitesIn = (
  world: string,
  told: readonly CommitNotice[],
): (readonly [token: string, world: string])[] =>
  [
    ...new Set(
      told.flatMap(({ written }) =>
        written.flatMap(({ table, key, row }) => (table === 'invites' && row ? [String(key)] : [])),
      ),
    ),
  ].map((token) => [token, world])

/** The same of rows that take the place of a world's. */
export async function noteInvitesOf(database: Database, world: string, rows: WorldRows): Promise<void> {
  const tokens = rows.invites?.map(({ token }) => token) ?? []
  if (tokens.length > 0) await database.query(noteInvites, [tokens, tokens.map(() => world)])
}
