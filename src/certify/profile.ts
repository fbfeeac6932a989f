/** What certify is told of a shop: the words of a profile's file, and what a program gives instead of addresses and commands. */
import type { CheckId } from './check-ids.ts'
import type { Receiver } from '../callbacks/receivers/receiver.ts'

/** What a shop can do. The profile lists those it does. */
export const features = [
  'collect',
  'withdraw',
  'global',
  'reversals',
  'look-ups',
  'kyc',
  'invitations',
  'channels',
  'reconciliation',
] as const
export type Feature = (typeof features)[number]

/** A request that starts something in the shop. Texts may have `${order}`, `${amount}`, `${phone}` and the other words below. */
export interface HttpCall {
  readonly method?: string | undefined
  readonly url: string
  readonly headers?: { readonly [name: string]: string } | undefined
  /** Sent as JSON unless it is text; a text that is `${amount}` alone becomes a number. */
  readonly body?: unknown
}

/** How something is done in the shop: a request, a command of the shell, or by somebody who is told what to do. */
export type Call =
  | { readonly http: HttpCall }
  | { readonly command: string }
  | { readonly manual: string | true }

/**
 * What a trigger is given, as `${…}` in its texts: `order`, `amount`, `phone`; and where the world that it is to pay in is: `sandbox`
 * (address), `user`, `password`, `authorization` (the header's value), `secret` (what callbacks are signed with), `callback` (the receiver's
 * address). `env.NAME` is a variable of the environment. A trigger that uses `sandbox`, `user`, `password` or `authorization` lets each
 * check have a world of its own; other shops are tried in one world, one check after another.
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

/** The same for a function in this process. */
export interface GivenHere extends TriggerValues {
  /** Reaches the sandbox, which may have no port. */
  readonly fetch: typeof globalThis.fetch
}

/** What the shop believes of an order. */
export interface Belief {
  /** In the shop's own words, or in those of `States`. */
  readonly state: string
  /** How often it was delivered. */
  readonly fulfilled?: number | undefined
  /** What was paid. */
  readonly amount?: number | undefined
}

/** Whether an order is paid, in words that all shops share. */
export const states = ['open', 'paid', 'failed', 'reversed', 'flagged'] as const
export type State = (typeof states)[number]

/** Where in the probe's answer what is. Paths such as `$.order.status` or `$.deliveries[0].count`. */
export interface Reading {
  readonly state: string
  readonly fulfilled?: string | undefined
  readonly amount?: string | undefined
}

/** The shop's words for each state. */
export type Means = { readonly [S in State]?: readonly string[] | undefined }

/** A profile's file, read and checked. Durations in milliseconds. */
export interface Profile {
  readonly profile: string
  /** An address, or undefined: certify starts a sandbox of its own, at `port`. */
  readonly sandbox: string | undefined
  readonly port: number
  /** API key of the world that is certified in. */
  readonly user: { readonly username: string; readonly password: string }
  /** `world`: each check in a world of its own; `shared`: one after another in one. */
  readonly isolation: 'world' | 'shared'
  readonly receiver: {
    readonly url: string | undefined
    readonly within: number
    /** The profile of signatures, such as `standard` or `stripe`. */
    readonly signatures: string
    /** What callbacks are signed with; the world's own when undefined. */
    readonly secret: string | undefined
  }
  readonly client: {
    /** How long a client that does nothing is waited for. */
    readonly patience: number
    readonly finds_out: number
    readonly slow: number
  }
  readonly features: readonly Feature[]
  readonly trigger: Trigger | undefined
  readonly probe: Probe | undefined
  readonly restart: Act | undefined
  readonly reconcile: Reconcile | undefined
  readonly rotate: Rotate | undefined
  /** Whether a person does what the trigger says. */
  readonly isManual: boolean
  /** `env.NAME` for each variable that texts ask for. */
  readonly variables: Readonly<Record<string, string>>
  readonly expect: { readonly [Id in CheckId]?: { readonly result: 'fail'; readonly because: string } }
}

/** Starts one payment in the shop. What it gives back is shown, and otherwise ignored. */
export type Trigger = Call | ((given: GivenHere) => unknown)
/** Asks the shop what it believes of an order. */
export type Probe =
  | (Exclude<Call, { manual: unknown }> & { readonly read: Reading; readonly means: Means })
  | {
      readonly ask: (order: string) => Belief | undefined | Promise<Belief | undefined>
      readonly means: Means
    }
/** Does something without words of its own, such as a restart. */
export type Act = Call | (() => unknown)
/** Gives the shop another secret, `${secret}`, beside the old one, `${old}`, which is empty once it is good no more. */
export type Rotate = Call | ((secret: string, old: string) => unknown)
/** Has the shop compare its orders with a statement; how many differences it finds. `${statement}` is the statement as CSV. */
export type Reconcile =
  | (Exclude<Call, { manual: unknown }> & { readonly read: { readonly differences: string } })
  | ((statement: string) => number | Promise<number>)

/** What takes callbacks in this process, by origin. */
export type Receivers = Readonly<Record<string, Receiver>>
