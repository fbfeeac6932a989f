import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { JournalEntry } from '../worlds/request-log.ts'
import { requestSummary } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'

/** Puts the answer on the record and tells whoever waits for it. */
export function closeEntry(world: World, entry: JournalEntry, status: number, duration_ms: number): void {
  entry.status = status
  entry.duration_ms = duration_ms
  entry.answered = true
  const bytes = world.responses.add(entry)
  world.events.publish('request', entry.at, entry, requestSummary, bytes)
}

/** The answer is kept as the text that left: a page of rows as objects is most of what a journal would hold. */
export class RecordedRequest implements JournalEntry {
  /** Empty until one is given. */
  id = ''
  readonly at: number
  readonly method: string
  readonly url: string
  readonly operation: string
  readonly username: string
  readonly headers: readonly string[]
  body = ''
  body_length = 0
  status = 0
  answered = false
  sent = ''
  fault: string | undefined
  decided: JournalEntry['decided']
  duration_ms = 0

  constructor(c: Context, world: World, username: string, operation: string) {
    this.at = world.clock.now()
    this.method = c.req.method
    this.url = c.req.url
    this.operation = operation
    this.username = username
    this.headers = headersOf(c)
  }
}

/** Names and values by turns, as Node received them; a request that came without a port has only its parsed `Headers`. */
function headersOf(c: Context): readonly string[] {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  if (incoming) return incoming.rawHeaders
  const headers: string[] = []
  c.req.raw.headers.forEach((value, name) => headers.push(name, value))
  return headers
}
