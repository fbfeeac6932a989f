import { exactTime } from '../service/domain/wire-time.ts'
import type { AuditActor, AuditEntry, AuditQuery } from '../storage/engine/audit.ts'
import type { AuditEntry as AuditEntryView } from '../generated/control/schemas.ts'
import type { ControlDependencies } from './dependencies.ts'
import { handlers, cut, ok } from './page.ts'

/** What was done by those who may change a sandbox. */
export const auditHandlers = ({ audit }: ControlDependencies) => {
  const pageOf = async (asked: Asked) => {
    const found = await audit.list(queryOf(asked))
    const { rows, next_before } = cut(found, asked.limit)
    return { rows, next_before }
  }
  return handlers({
    async adminListAudit({ request: { query } }) {
      const { rows, next_before } = await pageOf(query)
      return ok({ entries: rows.map((entry) => view(entry, entry.by)), next_before })
    },

    async listAudit({ world, request: { query } }) {
      const { rows, next_before } = await pageOf({ ...query, world: world.name })
      const entries = rows.map((entry) => view(entry, knownIn(world.name, entry.by)))
      return ok({ entries, next_before })
    },
  })
}

interface Asked extends Omit<AuditQuery, 'since' | 'until'> {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

const queryOf = ({ since, until, limit, ...asked }: Asked): AuditQuery => ({
  ...asked,
  since: since === undefined ? undefined : Date.parse(since),
  until: until === undefined ? undefined : Date.parse(until),
  // One more tells whether there are more.
  limit: limit + 1,
})

/** What the owner of a world is told of who did something to it: of others than its own keys not where they are, nor which administrator it was. */
function knownIn(world: string, by: AuditActor): AuditActor {
  if (by.kind === 'key' && by.world === world) return by
  return { ...by, address: null, name: by.kind === 'admin' ? null : by.name }
}

const view = ({ at, ...entry }: AuditEntry, by: AuditActor): AuditEntryView => ({
  ...entry,
  at: exactTime(at),
  by,
})
