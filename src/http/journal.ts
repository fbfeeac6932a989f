import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { JournalEntry } from '../worlds/journal.ts'
import type { Env } from './env.ts'

/** Puts a request on its world's record as soon as it is known whose it is; its id goes out with the answer, when headers may. */
export function openEntry(c: Context<Env>, operation: string, headers: boolean): JournalEntry {
  const world = c.get('world')
  const entry = new Entry(c, operation)
  world.journal.add(entry)
  c.set('entry', entry)
  if (headers) c.header('Sandbox-Request-Id', entry.id)
  keepAnswer(c, entry)
  return entry
}

/** The answer is kept as the text that left: a page of rows as objects is most of what a journal would hold. */
class Entry implements JournalEntry {
  readonly id: string
  readonly at: number
  readonly method: string
  readonly url: string
  readonly operation: string
  readonly username: string
  readonly headers: readonly string[]
  body = ''
  status = 0
  sent = ''
  fault: string | undefined
  considered: JournalEntry['considered']
  duration_ms = 0

  constructor(c: Context<Env>, operation: string) {
    const world = c.get('world')
    this.id = world.journal.nextId()
    this.at = world.clock.now()
    this.method = c.req.method
    this.url = c.req.url
    this.operation = operation
    this.username = c.get('caller').username
    this.headers = headersOf(c)
  }

  get answer(): unknown {
    return this.sent === '' ? undefined : JSON.parse(this.sent)
  }
}

/** Takes the text on its way out; reading a finished Response again would cost a copy of its body. */
function keepAnswer(c: Context<Env>, entry: Entry): void {
  c.json = ((body: unknown, status: ContentfulStatusCode, headers?: Record<string, string>): Response => {
    entry.sent = JSON.stringify(body)
    return c.body(entry.sent, status, { 'content-type': 'application/json', ...headers })
  }) as typeof c.json
}

/** As Node read them where it did; a request without a port has only the parsed ones. */
function headersOf(c: Context<Env>): readonly string[] {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming?.rawHeaders ?? [...c.req.raw.headers].flat()
}
