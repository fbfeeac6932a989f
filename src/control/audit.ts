import { exactTime } from '../service/domain/wire-time.ts'
import type { AuditActor, AuditQuery } from '../storage/engine/audit.ts'
import { cut, handlers, ok, timeOr } from './page.ts'

export const auditHandlers = handlers(({ audit }) => {
  const reply = async ({ since, until, limit, ...query }: Asked, shown = (by: AuditActor) => by) => {
    const parsed = { since: timeOr(since), until: timeOr(until) }
    // One more entry than the page has, to know whether another page follows.
    const found = await audit.list({ ...query, ...parsed, limit: limit + 1 })
    const { rows, next_before } = cut(found, limit)
    const entries = rows.map(({ at, ...entry }) => ({
      ...entry,
      at: exactTime(at),
      actor: shown(entry.actor),
    }))
    return ok({ entries, next_before })
  }
  return {
    adminListAudit: ({ request }) => reply(request.query),
    listAudit: ({ world, request }) =>
      reply({ ...request.query, world: world.name }, (by) => shownTo(world.name, by)),
  }
})

interface Asked extends Omit<AuditQuery, 'since' | 'until'> {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Hides the address of actors other than the world's own keys, and the name of administrators. */
function shownTo(world: string, by: AuditActor): AuditActor {
  if (by.kind === 'key' && by.world === world) return by
  return { ...by, address: null, name: by.kind === 'admin' ? null : by.name }
}
