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
  ChangedPlan,
  Health,
  Scenario,
  ScenarioState,
  ServingProcess,
  Version,
} from '../generated/control/types.ts'

/**
 * Operator actions across all worlds of a sandbox: `world.admin()`.
 * @example
 * ```ts
 * const { status } = await world.admin().health()
 * status // => 'ok'
 * ```
 */
export interface AdminClient {
  readonly requests: {
    /** Lists the requests of all worlds, newest first. */
    list(limit?: number): Promise<readonly AdminRequest[]>
    /** Returns the requests with this id; two worlds can use the same id. */
    get(id: string): Promise<readonly AdminRequest[]>
    find(conditions: Conditions): Promise<readonly AdminRequest[]>
    count(conditions: Conditions): Promise<number>
    clear(): Promise<void>
  }
  readonly scenarios: {
    /** @param world - The name of a world; the default world if omitted. */
    list(world?: string): Promise<readonly Scenario[]>
    setStep(name: string, step: number, world?: string): Promise<ScenarioState>
    reset(): Promise<void>
  }
  /** Restores the initial state of every world. */
  reset(): Promise<void>
  settings(): Promise<AdminSettings>
  configure(change: AdminSettingsChange): Promise<AdminSettings>
  /**
   * Returns one page of all worlds, the most recently used first.
   * @param query.prefix - The beginning of their names.
   * @param query.after - `next_after` of the previous page.
   */
  worlds(query?: {
    readonly prefix?: string
    readonly after?: string
    readonly limit?: number
  }): Promise<AdminWorldList>
  /** Gives a plan of `SANDBOX_PLANS` to a world and those that its owner created. @param plan - Null for none. */
  setPlan(world: string, plan: string | null): Promise<ChangedPlan>
  /** Lists the processes of the sandbox, each with the settings in which it differs from the responding one. */
  processes(): Promise<readonly ServingProcess[]>
  /** Lists changes made by operators and by the owners of worlds, newest first. */
  audit(filter?: AuditFilter & { readonly world?: string | undefined }): Promise<readonly AuditEntry[]>
  health(): Promise<Health>
  version(): Promise<Version>
  /** Stops the process that responds to the request. */
  shutdown(): Promise<void>
}

/** Implements `world.admin`. @param token - `SANDBOX_ADMIN_TOKEN`, if the sandbox sets it. */
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
    setPlan: (world, plan) => call('adminSetPlan', { path: { world }, body: { plan } }),
    processes: async () => (await call('adminListProcesses')).processes,
    audit: (filter) => listBy({ call }, 'admin.audit', 'adminListAudit', 'entries', filter),
    health: () => call('adminHealth'),
    version: () => call('adminVersion'),
    shutdown: async () => void (await call('adminShutdown')),
  }
}
