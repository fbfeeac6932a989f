/** Matchers for Vitest and Jest. */
import { SandboxError } from './transport.ts'
import type { CallbackDetails, CallbackWaiting, Conditions, WorldClient } from './types.ts'

interface Result {
  readonly pass: boolean
  readonly message: () => string
}

/**
 * What a delivered callback is to have beside what it is found by.
 * @example
 * ```ts
 * import type { Delivered } from 'payments-sandbox/matchers'
 *
 * const paid: Delivered = { reference: 'order-1', body: { status: 'success' } }
 * await expect(world).toHaveDelivered(paid)
 * ```
 */
export type Delivered = CallbackWaiting & {
  /** Fields of the body with their values. */
  readonly body?: { readonly [field: string]: unknown }
}

/**
 * What `expect(world)` can do after `expect.extend(matchers)`, for a TypeScript that is to know it.
 * @example
 * ```ts
 * import type { SandboxMatchers } from 'payments-sandbox/matchers'
 *
 * declare module 'vitest' {
 *   interface Matchers<T> extends SandboxMatchers {}
 * }
 * ```
 */
export interface SandboxMatchers {
  toHaveDelivered(expected?: Delivered): Promise<void>
  /** @param expected major units */
  toHaveBalance(account: string, expected: number): Promise<void>
  toHaveRequested(conditions: Conditions, times?: number): Promise<void>
}

/**
 * For `expect.extend` of Vitest and Jest. The subject is a world's client; all of them are asynchronous.
 * @example
 * ```ts
 * import { matchers } from 'payments-sandbox/matchers'
 *
 * expect.extend(matchers)
 * await expect(world).toHaveRequested({ operation: 'createCollection', amount: 1000 })
 * await expect(world).toHaveDelivered({ reference: 'order-1', body: { status: 'success' } })
 * await expect(world).toHaveBalance('team:63:wallet:KES', 100985)
 * ```
 */
export const matchers = {
  /** `await expect(world).toHaveDelivered({ reference: 'order-1', body: { status: 'success' } })` */
  async toHaveDelivered(world: WorldClient, expected: Delivered = {}): Promise<Result> {
    requireWorld('toHaveDelivered', world)
    const { body, timeout = '0', count = 1, ...filter } = expected
    const { callbacks, instead } = await delivered(world, { ...filter, count, timeout })
    const matching = callbacks.filter((each) => hasFields(JSON.parse(each.body), body))
    const nearest = nearestBody(callbacks, body)
    return {
      pass: matching.length >= count,
      message: () =>
        `expected ${count} delivered callback(s) of ${shown(filter)}${body ? ` with ${shown(body)}` : ''}, found ${matching.length}` +
        (nearest ?? instead),
    }
  },

  /** `await expect(world).toHaveBalance('team:63:wallet:KES', 100985)`; major units. */
  async toHaveBalance(world: WorldClient, account: string, expected: number): Promise<Result> {
    requireWorld('toHaveBalance', world)
    const balance = await world.balance(account)
    return {
      pass: balance === expected,
      message: () => `expected ${account} to hold ${expected}, it holds ${balance}`,
    }
  },

  /** `await expect(world).toHaveRequested({ operation: 'createCollection', amount: 100 }, 2)` */
  async toHaveRequested(world: WorldClient, conditions: Conditions, times?: number): Promise<Result> {
    requireWorld('toHaveRequested', world)
    const { count, nearest } = await world.requests.compare(conditions)
    const wanted = times === undefined ? 'at least one request' : `${times} requests`
    return {
      pass: times === undefined ? count > 0 : count === times,
      message: () =>
        `expected ${wanted} with ${shown(conditions)}, there were ${count}` +
        (nearest === undefined ? '' : `; the nearest was ${nearest}`),
    }
  },
} satisfies Record<keyof SandboxMatchers, unknown>

/** @throws TypeError for what is no world, a promise of one above all */
function requireWorld(matcher: string, subject: unknown): void {
  if (typeof (subject as Partial<WorldClient> | null)?.settle === 'function') return
  const got = subject instanceof Promise ? 'a promise: await it' : shown(subject)
  throw new TypeError(`${matcher}: what is expected must be a world, as of await sandbox.world(), got ${got}`)
}

async function delivered(
  world: WorldClient,
  filter: CallbackWaiting,
): Promise<{ callbacks: readonly CallbackDetails[]; instead: string }> {
  try {
    return { callbacks: await world.callbacks.waitFor({ state: 'delivered', ...filter }), instead: '' }
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status !== 504) throw error
    const { callbacks = [] } = error.body as { callbacks?: readonly CallbackDetails[] }
    const done = callbacks.filter(({ callback }) => callback.state === 'delivered')
    return { callbacks: done, instead: `; ${error.message}` }
  }
}

/** How many fields of a difference are shown. */
const MOST_SHOWN = 20

/** How the delivered callback that comes nearest differs; undefined when none was delivered. */
function nearestBody(
  callbacks: readonly CallbackDetails[],
  body: Delivered['body'] = {},
): string | undefined {
  const all = callbacks.map(({ callback, body: text }) => ({
    id: callback.id,
    misses: differences(JSON.parse(text), body, ''),
  }))
  const nearest = all.toSorted((a, b) => a.misses.length - b.misses.length)[0]
  if (!nearest) return undefined
  const lines = nearest.misses.slice(0, MOST_SHOWN)
  const more = nearest.misses.length - lines.length
  return [
    `; ${callbacks.length} delivered, the nearest is callback ${nearest.id}:`,
    ...lines,
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n  ')
}

/** `amount: expected 2000, got 1000` for each field that is not as it is wanted. */
function differences(value: unknown, wanted: object, at: string): readonly string[] {
  const found = (value ?? {}) as { readonly [field: string]: unknown }
  return Object.entries(wanted).flatMap(([name, want]) =>
    typeof want === 'object' && want !== null
      ? differences(found[name], want as object, `${at}${name}.`)
      : found[name] === want
        ? []
        : [`${at}${name}: expected ${shown(want)}, got ${shown(found[name]) ?? 'nothing'}`],
  )
}

function hasFields(value: unknown, fields: { readonly [field: string]: unknown } = {}): boolean {
  const found = (value ?? {}) as { readonly [field: string]: unknown }
  return Object.entries(fields).every(([name, wanted]) =>
    typeof wanted === 'object' && wanted !== null
      ? hasFields(found[name], wanted as { readonly [field: string]: unknown })
      : found[name] === wanted,
  )
}

const shown = (value: unknown) => JSON.stringify(value)
