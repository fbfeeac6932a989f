import { SandboxError } from './transport.ts'
import type { CallbackDetails, CallbackWaiting, Conditions, WorldClient } from './types.ts'

interface Result {
  readonly pass: boolean
  readonly message: () => string
}

/**
 * Argument of `toHaveDelivered`: which callbacks to find, and the fields that their bodies must have.
 * @example
 * ```ts
 * const paid: Delivered = { reference: 'order-1', body: { status: 'success' } }
 * await expect(world).toHaveDelivered(paid)
 * ```
 */
export type Delivered = CallbackWaiting & {
  /** Expected fields of the body. */
  readonly body?: { readonly [field: string]: unknown }
  /** How often the receiver accepted the callback: 2 after `duplicate-callback`, which is one callback with two attempts. */
  readonly times?: number | undefined
}

/**
 * The types of the matchers, for declaration merging.
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
  /** @param expected - In major units. */
  toHaveBalance(account: string, expected: number): Promise<void>
  toHaveRequested(conditions: Conditions, times?: number): Promise<void>
}

/**
 * Asynchronous matchers for the client of a world, for `expect.extend` of Vitest and Jest.
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
  async toHaveDelivered(world: WorldClient, expected: Delivered = {}): Promise<Result> {
    requireWorld('toHaveDelivered', world)
    const { body, times, timeout = '0', count = 1, ...filter } = expected
    const { callbacks, instead } = await delivered(world, { ...filter, count, timeout })
    const compared = callbacks.map(({ callback, body: text, attempts }) => ({
      id: callback.id,
      misses: [
        ...differences(JSON.parse(text), body),
        ...differences({ times: accepted(attempts) }, { times }),
      ],
    }))
    const matching = compared.filter(({ misses }) => misses.length === 0)
    return {
      pass: matching.length >= count,
      message: () =>
        `expected ${count} delivered callback(s) of ${shown(filter)}${body ? ` with ${shown(body)}` : ''}, found ${matching.length}` +
        (describeClosest(compared) ?? instead),
    }
  },

  async toHaveBalance(world: WorldClient, account: string, expected: number): Promise<Result> {
    requireWorld('toHaveBalance', world)
    const balance = await world.balance(account)
    return {
      pass: balance === expected,
      message: () => `expected ${account} to hold ${expected}, it holds ${balance}`,
    }
  },

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

/** @throws {TypeError} If the subject is not a world; usually it is a promise that was not awaited. */
function requireWorld(matcher: string, subject: unknown): void {
  if (typeof (subject as Partial<WorldClient> | null)?.settle === 'function') return
  const got = subject instanceof Promise ? 'a promise: await it' : shown(subject)
  throw new TypeError(`${matcher}: the subject must be a world, such as await sandbox.world(), got ${got}`)
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

/** Counts the attempts that the receiver accepted. */
const accepted = (attempts: CallbackDetails['attempts']) =>
  attempts.filter(({ response }) => response !== null && response.status >= 200 && response.status < 300)
    .length

/** Maximum number of differing fields in a message. */
const MAX_SHOWN = 20

/** Describes how the closest delivered callback differs, or returns `undefined` if there is none. */
function describeClosest(
  compared: readonly { readonly id: number; readonly misses: readonly string[] }[],
): string | undefined {
  const nearest = compared.toSorted((a, b) => a.misses.length - b.misses.length)[0]
  if (!nearest) return undefined
  const lines = nearest.misses.slice(0, MAX_SHOWN)
  const more = nearest.misses.length - lines.length
  return [
    `; ${compared.length} delivered, the closest is callback ${nearest.id}:`,
    ...lines,
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n  ')
}

/** Returns `amount: expected 2000, got 1000` for each field that differs. */
function differences(value: unknown, wanted: object = {}, at = ''): readonly string[] {
  const found = (value ?? {}) as { readonly [field: string]: unknown }
  const asked = Object.entries(wanted).filter(([, want]) => want !== undefined)
  return asked.flatMap(([name, want]) =>
    typeof want === 'object' && want !== null
      ? differences(found[name], want as object, `${at}${name}.`)
      : found[name] === want
        ? []
        : [`${at}${name}: expected ${shown(want)}, got ${shown(found[name]) ?? 'nothing'}`],
  )
}

const shown = (value: unknown) => JSON.stringify(value)
