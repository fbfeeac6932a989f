import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { JournalEntry } from '../worlds/journal.ts'
import type { Env } from './env.ts'

/** Puts a request on its world's record as soon as it is known whose it is; its id goes out with the answer, when headers may. */
export function openEntry(c: Context<Env>, operation: string, headers: boolean): JournalEntry {
  const world = c.get('world')
  const caller = c.get('caller')
  const entry: JournalEntry = {
    id: world.journal.nextId(),
    at: world.clock.now(),
    method: c.req.method,
    url: c.req.url,
    operation,
    username: caller.username,
    headers: headersOf(c),
    body: '',
    status: 0,
    answer: undefined,
    duration_ms: 0,
  }
  world.journal.add(entry)
  c.set('entry', entry)
  if (headers) c.header('Sandbox-Request-Id', entry.id)
  keepAnswer(c, entry)
  return entry
}

/** The answer is kept as it is written; reading a finished Response again would cost a copy of its body. */
function keepAnswer(c: Context<Env>, entry: JournalEntry): void {
  const write = c.json as (body: unknown, status: unknown, headers: unknown) => Response
  c.json = ((body: unknown, status: unknown, headers: unknown) => {
    entry.answer = body
    return write(body, status, headers)
  }) as typeof c.json
}

/** As Node read them where it did; a request without a port has only the parsed ones. */
function headersOf(c: Context<Env>): readonly string[] {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming?.rawHeaders ?? [...c.req.raw.headers].flat()
}
