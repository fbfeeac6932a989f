/** What the operator of a sandbox can do. */
import { listBy } from './lists.ts'
import type { Conditions } from './requests.ts'
import type { Transport } from './transport.ts'
import type { AuditFilter } from './worlds.ts'
import type {
  AdminRequest,
  AdminSettings,
  AdminSettingsChange,
  AdminWorldList,
  AuditEntry,
  Health,
  Scenario,
  ScenarioState,
  ServingProcess,
  Version,
} from '../generated/control/types.ts'

/**
 * What the operator of a sandbox can do, over all its worlds.
 * @example
 * ```ts
 * import type { AdminClient } from 'payments-sandbox'
 *
 * const healthy = async (admin: AdminClient) => {
 *   const { status } = await admin.health()
 *   return status
 * }
 * await healthy(world.admin()) // => 'ok'
 * ```
 */
export interface AdminClient {
  readonly requests: {
    /** Of all worlds, newest first. */
    list(limit?: number): Promise<readonly AdminRequest[]>
    /** One, or several where worlds have the same id. */
    get(id: string): Promise<readonly AdminRequest[]>
    find(conditions: Conditions): Promise<readonly AdminRequest[]>
    count(conditions: Conditions): Promise<number>
    clear(): Promise<void>
  }
  readonly scenarios: {
    /** @param world by its name; the default world when left out */
    list(world?: string): Promise<readonly Scenario[]>
    setStep(name: string, step: number, world?: string): Promise<ScenarioState>
    reset(): Promise<void>
  }
  /** Everything back to its beginning. */
  reset(): Promise<void>
  settings(): Promise<AdminSettings>
  configure(change: AdminSettingsChange): Promise<AdminSettings>
  /**
   * A page of all worlds, those that were called last first.
   * @param query.prefix what their names begin with
   * @param query.after the `next_after` of the page before
   */
  worlds(query?: {
    readonly prefix?: string
    readonly after?: string
    readonly limit?: number
  }): Promise<AdminWorldList>
  /** Those that serve the sandbox, and what each was told otherwise than the one that answers. */
  processes(): Promise<readonly ServingProcess[]>
  /** What was changed by `/__admin`, and in worlds by their owners, the newest first. */
  audit(filter?: AuditFilter & { readonly world?: string | undefined }): Promise<readonly AuditEntry[]>
  health(): Promise<Health>
  version(): Promise<Version>
  /** Ends the process that serves it. */
  shutdown(): Promise<void>
}

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
    audit: (filter) => listBy({ call }, 'admin.audit', 'adminListAudit', 'entries', filter),
    health: () => call('adminHealth'),
    version: () => call('adminVersion'),
    shutdown: async () => void (await call('adminShutdown')),
  }
}
