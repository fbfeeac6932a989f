import type { CheckId } from './check-ids.ts'
import type {
  Act,
  Belief,
  Call,
  Feature,
  Means,
  Probe,
  Receivers,
  Reconcile,
  Rotate,
  Trigger,
  Waiver,
} from './profile.ts'
import type { Verdict } from './certification.ts'

/**
 * The content of a profile file; programs may use functions for trigger, probe, restart, rotate and reconcile. Durations are
 * such as `5s`, or milliseconds. Everything but `profile` is optional; checks without their requirements are `not_seen`.
 */
export interface ProfileFile {
  /** The name of the shop. */
  readonly profile: string
  readonly sandbox?: string | undefined
  readonly port?: number | undefined
  /** `demo:demo` by default. */
  readonly user?: string | undefined
  readonly isolation?: 'world' | 'shared' | undefined
  readonly receiver?:
    | {
        readonly url: string
        readonly within?: string | number | undefined
        /** How long after its response a callback may take effect. By default certify measures it. */
        readonly settles?: string | number | undefined
        readonly signatures?: string | undefined
        readonly secret?: string | undefined
      }
    | undefined
  readonly client?:
    | {
        readonly patience?: string | number | undefined
        readonly finds_out?: string | number | undefined
        readonly slow?: string | number | undefined
      }
    | undefined
  readonly features?: readonly Feature[] | undefined
  readonly trigger?: Trigger | undefined
  /** Starts one payout. */
  readonly payout?: Trigger | undefined
  /** A function that returns the state of an order; `means` translates the shop's own words. */
  readonly probe?:
    | Probe
    | ((order: string) => Belief | undefined | Promise<Belief | undefined>)
    | (Exclude<Call, { manual: unknown }> & {
        readonly read: { readonly state: string; readonly fulfilled?: string; readonly amount?: string }
        readonly means?: Means
      })
    | undefined
  readonly restart?: Act | undefined
  /** Gives the shop the new secret `${secret}` next to the old one, `${old}`, which is empty when the overlap ends. */
  readonly rotate?: Rotate | undefined
  readonly reconcile?: Reconcile | undefined
  /** Checks whose failure is accepted for a time. Those that certainly lose money cannot be waived. */
  readonly waivers?: { readonly [Id in CheckId]?: Waiver } | undefined
}

/** The options of `certify`. */
export interface CertifyOptions {
  readonly profile: ProfileFile
  /**
   * Receivers of callbacks in this process, by origin. The sandbox then also runs in this process, and the trigger is a
   * function that reaches it by `fetch`. By default, certify uses the profile's sandbox or starts one that listens.
   */
  readonly receivers?: Receivers | undefined
  /** Ids (`RCV-11`) or groups (`RCV`); all by default. */
  readonly only?: readonly string[] | undefined
  /** Called when a check starts and when it ends. */
  readonly tell?: ((progress: Progress) => void) | undefined
  /** Called with instructions for a person if the trigger is `manual`. */
  readonly say?: ((text: string) => void) | undefined
  /** Ends the run early. Remaining checks are inconclusive, and certify restores the world at once. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for a world that another run or suite holds, such as `10m`. By default certify does not wait. */
  readonly wait?: string | number | undefined
}

/** The formats of reports. */
export type ReportName = 'html' | 'json' | 'junit' | 'ctrf' | 'markdown' | 'csv' | 'badge'

/** The progress of a run. */
export interface Progress {
  readonly id: CheckId | 'calibration'
  /** Undefined while the check runs. */
  readonly verdict: Verdict | undefined
  readonly observed: string
  readonly done: number
  readonly of: number
}
