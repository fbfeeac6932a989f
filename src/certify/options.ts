/** How a program has a shop certified. */
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
} from './profile.ts'
import type { Verdict } from './certification.ts'

/**
 * A profile as its file has it; in a program, functions may stand for trigger, probe, restart and reconcile. Durations are such as `5s`,
 * or milliseconds. Everything but `profile` may be left out: what hangs on it is not seen.
 */
export interface ProfileFile {
  /** What the shop is called. */
  readonly profile: string
  readonly sandbox?: string | undefined
  readonly port?: number | undefined
  /** `demo:demo` when left out. */
  readonly user?: string | undefined
  readonly isolation?: 'world' | 'shared' | undefined
  readonly receiver?:
    | {
        readonly url: string
        readonly within?: string | number | undefined
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
  /** Of a function: what the shop believes; `means` says what the shop's words stand for where they are its own. */
  readonly probe?:
    | Probe
    | ((order: string) => Belief | undefined | Promise<Belief | undefined>)
    | (Exclude<Call, { manual: unknown }> & {
        readonly read: { readonly state: string; readonly fulfilled?: string; readonly amount?: string }
        readonly means?: Means
      })
    | undefined
  readonly restart?: Act | undefined
  /** Gives the shop another secret, `${secret}`, while it goes on taking the old one: `${old}`, which is empty once it is over. */
  readonly rotate?: Rotate | undefined
  readonly reconcile?: Reconcile | undefined
  readonly expect?:
    | { readonly [Id in CheckId]?: { readonly result: 'fail'; readonly because: string } }
    | undefined
}

/** What `certify` is given. */
export interface CertifyOptions {
  readonly profile: ProfileFile
  /**
   * What takes callbacks in this process, by origin: the sandbox is then one in this process, too, and the trigger is a function that
   * reaches it by `fetch`. Without it the profile's sandbox is asked, or one is started that listens.
   */
  readonly receivers?: Receivers | undefined
  /** Ids (`RCV-11`) or groups (`RCV`); all when left out. */
  readonly only?: readonly string[] | undefined
  /** Told of each check when it begins and when it is over. */
  readonly tell?: ((progress: Progress) => void) | undefined
  /** Told what a person is to do, where the profile's trigger is `manual`. */
  readonly say?: ((text: string) => void) | undefined
  /** Ends it early: what was not tried is inconclusive, and the world is put back at once. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for a world that another run or suite has, a duration such as `10m`; not at all when left out. */
  readonly wait?: string | number | undefined
}

/** The forms of reports. */
export type ReportName = 'html' | 'json' | 'junit' | 'ctrf' | 'markdown' | 'csv' | 'badge'

/** Where a run is. */
export interface Progress {
  readonly id: CheckId | 'calibration'
  /** Undefined while it runs. */
  readonly verdict: Verdict | undefined
  readonly seen: string
  readonly done: number
  readonly of: number
}
