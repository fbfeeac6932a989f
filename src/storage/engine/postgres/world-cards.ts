/** Summaries of worlds in the database, for queries over many worlds. */
import { WorldView, type WorldRows } from '../../store/change.ts'
import type { WorldTables } from '../../store/world.ts'
import { type Card, cardOf } from '../worlds.ts'
import { type Database, statement } from './database.ts'
import type { CommitNotice } from './replicas.ts'

/** The URL of an invitation does not contain its world. */
export const noteInvites = statement`
  insert into invites(token, world) select * from unnest($1::text[], $2::text[])
  on conflict (token) do update set world = excluded.world`

/** The fields of a card in the order in which statements take them. */
export const CARD_FIELDS = ['next_due', 'pending', 'failing', 'parent', 'title', 'guest'] as const

export const cardValues = (card: Card) => CARD_FIELDS.map((field) => card[field])

export const columnsOf = (rows: readonly (readonly unknown[])[]): unknown[][] =>
  rows[0]!.map((_, n) => rows.map((row) => row[n]))

export function cardIn(tables: WorldTables): Card {
  return cardOf(new WorldView(tables))
}

/** Returns the invitations that changes wrote, without repetitions: a statement cannot write a row twice. */
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

export async function noteInvitesOf(database: Database, world: string, rows: WorldRows): Promise<void> {
  const tokens = rows.invites?.map(({ token }) => token) ?? []
  if (tokens.length > 0) await database.query(noteInvites, [tokens, tokens.map(() => world)])
}
