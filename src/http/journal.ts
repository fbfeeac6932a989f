import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { entryBytes, type JournalEntry } from '../worlds/journal.ts'
import { requestSummary } from '../worlds/request-view.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { readBasic } from './authenticate.ts'
import type { CallerLimits } from './caller-limits.ts'
import type { Env } from './env.ts'
import { headerOf } from './header-in.ts'

/** Puts a request on its world's record as soon as it is known whose it is; its id goes out with the answer, when headers may. */
export function openEntry(c: Context<Env>, operation: string, headers: boolean): JournalEntry {
  const world = c.get('world')
  const entry = new Entry(c, operation)
  world.journal.add(entry)
  c.set('entry', entry)
  const answer_headers: Env['Variables']['answer_headers'] = { 'content-type': 'application/json' }
  if (headers) answer_headers['Sandbox-Request-Id'] = entry.id
  c.set('answer_headers', answer_headers)
  keepAnswer(c, entry, answer_headers)
  return entry
}

/** A path that leads nowhere is on the record too of whoever called it with good credentials. */
export async function recordUnknown(
  c: Context<Env>,
  worlds: Worlds,
  callers: CallerLimits,
  headers: boolean,
): Promise<void> {
  const header = headerOf(c, 'authorization')
  callers.requireTrust(c)
  const credentials = header === undefined ? undefined : readBasic(header)
  const known = credentials && (await worlds.authenticate(credentials.username, credentials.password))
  if (!known) callers.failed(c)
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
  const bytes = world.journal.answered(entry)
  world.events.publish('request', entry.at, entry, requestSummary, bytes)
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
  body_length = 0
  status = 0
  answered = false
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

  get bytes(): number {
    return entryBytes(this, this.sent)
  }

  get answer(): unknown {
    return this.sent === '' ? undefined : JSON.parse(this.sent)
  }
}

/**
 * Takes the text on its way out; reading a finished Response again would cost a copy of its body. Headers stay a plain
 * object all the way to Node: a `Headers` of them costs as much as the rules of a payment.
 */
function keepAnswer(c: Context<Env>, entry: Entry, headers: Env['Variables']['answer_headers']): void {
  c.json = ((body: unknown, status: number, extra?: Record<string, string>): Response => {
    entry.sent = JSON.stringify(body)
    return new Response(entry.sent, { status, headers: extra ? { ...headers, ...extra } : headers })
  }) as typeof c.json
}

/** As Node read them where it did; a request without a port has only the parsed ones. */
function headersOf(c: Context<Env>): readonly string[] {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming?.rawHeaders ?? [...c.req.raw.headers].flat()
}
