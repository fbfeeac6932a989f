import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { JournalEntry } from '../worlds/journal.ts'
import { requestSummary } from '../worlds/request-view.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { readBasic } from './authenticate.ts'
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
    answered: false,
    answer: undefined,
    duration_ms: 0,
  }
  world.journal.add(entry)
  c.set('entry', entry)
  if (headers) c.header('Sandbox-Request-Id', entry.id)
  keepAnswer(c, entry)
  return entry
}

/** A path that leads nowhere is on the record too of whoever called it with good credentials. */
export async function recordUnknown(c: Context<Env>, worlds: Worlds, headers: boolean): Promise<void> {
  const header = c.req.header('authorization')
  const credentials = header === undefined ? undefined : readBasic(header)
  const known = credentials && (await worlds.authenticate(credentials.username, credentials.password))
  if (!known || c.req.path.startsWith('/sandbox')) return
  c.set('world', known.world)
  c.set('caller', known.caller)
  openEntry(c, '', headers)
}

/** Puts the answer on the record and tells whoever waits for it. */
export function closeEntry(world: World, entry: JournalEntry, status: number, duration_ms: number): void {
  entry.status = status
  entry.duration_ms = duration_ms
  entry.answered = true
  world.journal.answered(entry)
  world.events.publish('request', entry.at, () => requestSummary(entry))
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
