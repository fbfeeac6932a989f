import { strongestRole } from '../service/domain/access.ts'
import type { Caller, Look } from '../service/domain/context.ts'
import type { AuditActor, AuditEntry, AuditShelf } from '../storage/engine/audit.ts'
import { redact } from '../lib/log/redact.ts'
import { isRecord } from '../lib/objects.ts'
import type { World } from '../worlds/world.ts'
import type { Dependencies } from './dependencies.ts'
import type { Exchange } from './exchange.ts'
import type { CheckedRequest, Reply } from './handler.ts'
import type { Route } from './route-binding.ts'

export const adminActor = (name: string | undefined, address: string | undefined): AuditActor => ({
  kind: name === undefined ? 'anonymous' : 'admin',
  name: name ?? null,
  username: null,
  role: null,
  world: null,
  address: address ?? null,
})

export const keyActor = (
  look: Look,
  world: World,
  caller: Caller,
  address: string | undefined,
): AuditActor => ({
  kind: 'key',
  name: look.rows.get('apiKeys', caller.username.replace(/\+.*$/, ''))?.name ?? null,
  username: caller.username,
  role: strongestRole(look, caller),
  world: world.name,
  address: address ?? null,
})

/**
 * Adds the request and its result to the audit before the response is sent. If the audit cannot be written, the log
 * contains the entry.
 * @param reply - undefined if the request was rejected
 */
export async function audit(
  exchange: Exchange,
  route: Route,
  { audit: kept, wall, log }: Pick<Dependencies, 'audit' | 'wall' | 'log'>,
  reply?: Reply,
): Promise<void> {
  const { actor, requestId, status } = exchange
  if (!actor) return
  const request = (exchange as Partial<Exchange>).request
  const entry: Omit<AuditEntry, 'id'> = {
    at: wall(),
    request_id: requestId,
    operation: route.id,
    world: worldOf(actor, request, reply),
    actor,
    status: reply && 'status' in reply ? reply.status : status,
    subject: (request && subjectIn(request.path, actor)) ?? createdName(reply),
    requested: request && !route.body?.reader ? requestParts(request) : {},
  }
  try {
    await kept.add(entry, shelfOf(exchange))
  } catch (error) {
    log.error('audit entry not kept', { message: String(error), entry })
  }
}

function shelfOf(exchange: Exchange): AuditShelf {
  const world = exchange.world as World | undefined
  if (!world) return 'admin'
  return world.template?.guest === undefined ? 'worlds' : 'guests'
}

/**
 * Returns the world that the request changed. Requests to other worlds than the key's count as their own world's only
 * if allowed, so that no caller writes to the audit of others.
 */
function worldOf(
  actor: AuditActor,
  request: CheckedRequest | undefined,
  reply: Reply | undefined,
): string | null {
  const named = reply && (request?.path['world'] ?? request?.query['world'])
  return typeof named === 'string' && named !== 'current' ? named : actor.world
}

function subjectIn({ username, id, name, world }: CheckedRequest['path'], actor: AuditActor): string | null {
  const value = username ?? id ?? name ?? (world === 'current' ? actor.world : world)
  return value === undefined ? null : String(value)
}

function createdName(reply: Reply | undefined): string | null {
  if (!reply || !('body' in reply) || !isRecord(reply.body)) return null
  const { username, id, world } = reply.body
  const value = username ?? id ?? (isRecord(world) ? world['id'] : undefined)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** Maximum number of characters kept of a value. */
const LONGEST = 500
/** Maximum number of values per part of a request. */
const MOST = 30

/** Returns the parts of a request without secrets. */
function requestParts({ path, query, body }: CheckedRequest): AuditEntry['requested'] {
  const parts = Object.entries({ path, query, body })
    .map(([name, part]) => [name, shortened(part)] as const)
    .filter(([, part]) => Object.keys(part).length > 0)
  return Object.fromEntries(parts)
}

function shortened(part: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(part).slice(0, MOST)) {
    const text = JSON.stringify({ [name]: value }, redact)
    if (value === undefined) continue
    kept[name] =
      text.length > LONGEST ? `[${text.length} characters]` : (JSON.parse(text) as typeof kept)[name]
  }
  return kept
}
