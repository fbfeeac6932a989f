/** What the operator of a sandbox can do. */
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
} from '../../generated/control/types.ts'
import type { AuditFilter } from './worlds.ts'
import type { Conditions } from './requests.ts'

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
