import type { Receiver } from '../callbacks/receivers/receiver.ts'
import type { ReceiverProtection } from '../service/vocabulary/receiver-protection.ts'
import type { CheckId } from './check-ids.ts'
import type { Verdict, Waiver } from './certification.ts'

/** The features of shops. A profile lists those of its shop. */
export const features = [
  'collect',
  'withdraw',
  'global',
  'reversals',
  'status-queries',
  'kyc',
  'invitations',
  'channels',
  'reconciliation',
] as const
export type Feature = (typeof features)[number]

/** The operations that prove a feature. */
export const shownBy: readonly (readonly [Feature, RegExp])[] = [
  ['collect', /^createCollection$/],
  ['withdraw', /^createWithdrawal$/],
  ['global', /^createGlobalPayment$/],
  ['status-queries', /^getTransactionStatus$/],
  ['channels', /[Cc]hannel/],
  ['kyc', /[Kk]yc/],
  ['invitations', /[Ii]nvite/],
]

/** Features that every shop with another one needs: any payment can be reversed, and any callback can get lost. */
export const implied: readonly Feature[] = ['reversals', 'status-queries']

/** A request to the shop. Texts may contain placeholders such as `${order}`, `${amount}` and `${phone}`. */
export interface HttpCall {
  readonly method?: string | undefined
  readonly url: string
  readonly headers?: { readonly [name: string]: string } | undefined
  /** Sent as JSON unless it is text; a text that is `${amount}` alone becomes a number. */
  readonly body?: unknown
}

type Ask = { readonly http: HttpCall } | { readonly command: string }
/** An action in the shop: a request, a shell command, or instructions for a person. */
export type Call = Ask | { readonly manual: string | true }

/**
 * The placeholders of a trigger: the order, and how to reach the world in which it pays. `env.NAME` is an environment variable.
 * If a trigger uses `sandbox`, `user`, `password` or `authorization`, each check runs in a separate world; otherwise all checks
 * run in sequence in one world.
 */
export interface TriggerValues {
  /** The name of a new order, which the shop has not seen before. */
  readonly order: string
  readonly amount: number
  readonly phone: string
  readonly sandbox: string
  readonly user: string
  readonly password: string
  readonly authorization: string
  readonly secret: string
  readonly callback: string
}

/** The values for a function in this process. */
export interface GivenHere extends TriggerValues {
  /** Reaches the sandbox, which may have no port. */
  readonly fetch: typeof globalThis.fetch
}

export interface Belief {
  /** A word of the shop, or one of `states`. */
  readonly state: string
  readonly fulfilled?: number | undefined
  readonly amount?: number | undefined
}

/** The states of orders that all shops share. */
export const states = ['open', 'paid', 'failed', 'reversed', 'flagged'] as const
export type State = (typeof states)[number]

/** Paths into the probe's answer, such as `$.order.status` or `$.deliveries[0].count`. */
export interface Reading {
  readonly state: string
  readonly fulfilled?: string | undefined
  readonly amount?: string | undefined
}

/** The shop's words for each state. */
export type Means = { readonly [S in State]?: readonly string[] | undefined }

export type OrderKind = 'collection' | 'payout'

/** Starts one payment in the shop. Reports show its answer. */
export type Trigger = Call | ((given: GivenHere) => unknown)
type AskShop = (order: string) => Belief | undefined | Promise<Belief | undefined>
/** Returns the state of an order in the shop. */
export type Probe =
  | (Ask & { readonly read: Reading; readonly means: Means })
  | { readonly ask: AskShop; readonly means: Means }
type Act = Call | (() => unknown)
/** Gives the shop the new secret `${secret}` next to the old one, `${old}`, which is empty when it expires. */
type Rotate = Call | ((secret: string, old: string) => unknown)
/** Compares the shop's orders with a statement and returns the number of differences. `${statement}` is the statement as CSV. */
type Reconcile =
  | (Ask & { readonly read: { readonly differences: string } })
  | ((statement: string) => number | Promise<number>)

export type Receivers = Readonly<Record<string, Receiver>>

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined }

/**
 * The content of a profile file; programs may use functions for trigger, probe, restart, rotate and reconcile. Durations are
 * such as `5s`, or milliseconds. Everything but `profile` is optional; checks without their requirements are `not_seen`.
 */
export interface ProfileFile extends Optional<{
  version: string
  sandbox: string
  port: number
  /** `demo:demo` by default. */
  user: string
  isolation: 'world' | 'shared'
  receiver: { readonly url: string } & Optional<{
    within: string | number
    /** How long after its response a callback may take effect. By default certify measures it. */
    settles: string | number
    signatures: string
    secret: string
    /** What the sandbox sends to a receiver behind Basic authentication, a gateway or mutual TLS. */
    protection: Omit<ReceiverProtection, 'origin'>
  }>
  client: Optional<Record<'patience' | 'finds_out' | 'slow', string | number>>
  features: readonly Feature[]
  trigger: Trigger
  payout: Trigger
  /** A function that returns the state of an order; `means` translates the shop's own words. */
  probe: Probe | AskShop | (Ask & { readonly read: Reading; readonly means?: Means })
  restart: Act
  rotate: Rotate
  reconcile: Reconcile
  /** Checks whose failure is accepted for a time. Those that certainly lose money cannot be waived. */
  waivers: { readonly [Id in CheckId]?: Waiver }
}> {
  /** The name of the shop. */
  readonly profile: string
}

export interface CertifyOptions {
  readonly profile: ProfileFile
  /**
   * Receivers of callbacks in this process, by origin. The sandbox then also runs in this process, and the trigger is a
   * function that reaches it by `fetch`. By default, certify uses the profile's sandbox or starts one that listens.
   */
  readonly receivers?: Receivers | undefined
  /** Ids (`RCV-11`) or groups (`RCV`); all by default. */
  readonly only?: readonly string[] | undefined
  /** The name of a shipped plan, or a file with one. It selects the checks and their levels. */
  readonly plan?: string | undefined
  /** Called when a check starts and when it ends. */
  readonly tell?: ((progress: Progress) => void) | undefined
  /** Called with instructions for a person if the trigger is `manual`, and early if the shop is slow or does not respond. */
  readonly say?: ((text: string) => void) | undefined
  /** Ends the run early. Remaining checks are inconclusive, and certify restores the world at once. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for a world that another run or suite holds, such as `10m`. By default certify does not wait. */
  readonly wait?: string | number | undefined
}

export interface Progress {
  readonly id: CheckId | 'calibration'
  /** Undefined while the check runs. */
  readonly verdict: Verdict | undefined
  readonly observed: string
  readonly done: number
  readonly of: number
  /** The estimated rest of the run, milliseconds. */
  readonly left_ms: number
}
