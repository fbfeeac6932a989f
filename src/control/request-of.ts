import { timeSlice } from '../lib/clock/time-slice.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import { answerOf } from '../worlds/request-facts.ts'
import type { World } from '../worlds/world.ts'

/** Whether a request on record made a transaction. */
export function made(entry: JournalEntry, { operation, reference }: TransactionRow): boolean {
  if (entry.operation !== operation) return false
  const answer = answerOf(entry)
  return (textIn(answer, 'reference') ?? textIn(answer, 'merchant_reference')) === reference
}

/** The request that made a transaction; undefined when the world remembers it no longer. */
export async function requestThatMade(world: World, row: TransactionRow): Promise<JournalEntry | undefined> {
  const slice = await timeSlice(world.name)
  for (const entry of await world.journal.newest(Infinity)) {
    if (slice.over) await slice.next()
    if (made(entry, row)) return entry
  }
  return undefined
}

/** A field of an answer that is a text. */
export function textIn(value: unknown, name: string): string | undefined {
  const field = (value as Record<string, unknown> | null | undefined)?.[name]
  return typeof field === 'string' ? field : undefined
}
