import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { AdminClient, WorldClient } from './types.ts'

const KNOWN = ['who', 'operation', 'since', 'until']

/** What was done over all worlds, by a transport whose requests have what an administrator's need. */
export const adminAuditOf =
  (transport: Pick<Transport, 'call'>): AdminClient['audit'] =>
  async (filter = {}) => {
    requireKnown('admin.audit', filter, [...KNOWN, 'world'])
    return listOf(transport, 'adminListAudit', 'entries', { query: filter })
  }

export const auditOf =
  (transport: Transport): WorldClient['audit'] =>
  async (filter = {}) => {
    requireKnown('audit', filter, KNOWN)
    return listOf(transport, 'listAudit', 'entries', { query: filter })
  }
