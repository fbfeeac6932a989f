import type { CheckId } from './check-ids.ts'
import type { Receiver } from '../callbacks/receivers/receiver.ts'

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

/** An action in the shop: a request, a shell command, or instructions for a person. */
export type Call =
  | { readonly http: HttpCall }
  | { readonly command: string }
  | { readonly manual: string | true }

/**
 * The placeholders of a trigger: the order, and how to reach the world in which it pays. `env.NAME` is an environment variable.
 * If a trigger uses `sandbox`, `user`, `password` or `authorization`, each check runs in a separate world; otherwise all checks
 * run in sequence in one world.
 */
export interface TriggerValues {
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

/** The state of an order in the shop. */
export interface Belief {
  /** A word of the shop, or one of `states`. */
  readonly state: string
  /** The number of deliveries. */
  readonly fulfilled?: number | undefined
  /** The paid amount. */
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

/** Accepts the failure of a check for a time. */
export interface Waiver {
  /** The last day, such as `2026-12-31`. */
  readonly until: string
  /** The person who accepts the risk. */
  readonly by: string
  readonly ticket: string
  readonly because: string
}

/** The direction of a payment. */
export type OrderKind = 'collection' | 'payout'

/** A validated profile. Durations in milliseconds. */
export interface Profile {
  readonly profile: string
  /** The address of a sandbox; if undefined, certify starts one at `port`. */
  readonly sandbox: string | undefined
  readonly port: number
  /** The API key of the world in which checks run. */
  readonly user: { readonly username: string; readonly password: string }
  /** `world`: one world per check; `shared`: all checks in sequence in one world. */
  readonly isolation: 'world' | 'shared'
  readonly receiver: {
    readonly url: string | undefined
    readonly within: number
    /** How long after its response a callback may take effect; measured if undefined. */
    readonly settles: number | undefined
    /** The profile of signatures, such as `standard` or `stripe`. */
    readonly signatures: string
    /** The signing secret of callbacks; by default the world's own. */
    readonly secret: string | undefined
  }
  readonly client: {
    /** How long to wait for a client that does nothing. */
    readonly patience: number
    readonly finds_out: number
    readonly slow: number
  }
  readonly features: readonly Feature[]
  readonly trigger: Trigger | undefined
  readonly payout: Trigger | undefined
  readonly probe: Probe | undefined
  readonly restart: Act | undefined
  readonly reconcile: Reconcile | undefined
  readonly rotate: Rotate | undefined
  /** Whether the trigger is manual. */
  readonly isManual: boolean
  /** The values of all `env.NAME` placeholders. */
  readonly variables: Readonly<Record<string, string>>
  readonly waivers: { readonly [Id in CheckId]?: Waiver }
}

/** Starts one payment in the shop. Reports show its answer. */
export type Trigger = Call | ((given: GivenHere) => unknown)
/** Returns the state of an order in the shop. */
export type Probe =
  | (Exclude<Call, { manual: unknown }> & { readonly read: Reading; readonly means: Means })
  | {
      readonly ask: (order: string) => Belief | undefined | Promise<Belief | undefined>
      readonly means: Means
    }
/** An action without placeholders, such as a restart. */
export type Act = Call | (() => unknown)
/** Gives the shop the new secret `${secret}` next to the old one, `${old}`, which is empty when it expires. */
export type Rotate = Call | ((secret: string, old: string) => unknown)
/** Compares the shop's orders with a statement and returns the number of differences. `${statement}` is the statement as CSV. */
export type Reconcile =
  | (Exclude<Call, { manual: unknown }> & { readonly read: { readonly differences: string } })
  | ((statement: string) => number | Promise<number>)

/** Receivers of callbacks in this process, by origin. */
export type Receivers = Readonly<Record<string, Receiver>>
