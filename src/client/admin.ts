import { adminAuditOf } from './audit.ts'
import type { Transport } from './transport.ts'
import type { AdminClient } from './types.ts'

/** What the operator of a sandbox can do. @param token of `SANDBOX_ADMIN_TOKEN`; needed where there is one */
export function adminOf({ callAs }: Transport, token: string | undefined): AdminClient {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const call: Transport['call'] = (operation, ...[given]) => callAs(operation, { ...given, headers })
  return {
    requests: {
      list: async (limit) => (await call('adminListRequests', { query: { limit } })).requests,
      get: async (id) => (await call('adminGetRequest', { path: { id } })).requests,
      find: async (body) => (await call('adminFindRequests', { body })).requests,
      count: async (body) => (await call('adminCountRequests', { body })).count,
      clear: async () => void (await call('adminClearRequests')),
    },
    scenarios: {
      list: async (world) => (await call('adminListScenarios', { query: { world } })).scenarios,
      setStep: (name, step, world) =>
        call('adminSetScenarioState', { path: { name }, query: { world }, body: { step } }),
      reset: async () => void (await call('adminResetScenarios')),
    },
    reset: async () => void (await call('adminReset')),
    settings: () => call('adminGetSettings'),
    configure: (body) => call('adminUpdateSettings', { body }),
    worlds: (query = {}) => call('adminListWorlds', { query }),
    processes: async () => (await call('adminListProcesses')).processes,
    audit: adminAuditOf({ call }),
    health: () => call('adminHealth'),
    version: () => call('adminVersion'),
    shutdown: async () => void (await call('adminShutdown')),
  }
}
