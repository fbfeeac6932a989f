import type {
  CallbackDetails,
  Invite,
  KycReview,
  RecordedRequest,
  Transaction,
} from '../generated/control/types.ts'
import type { CheckId } from './check-ids.ts'
import type { WorldClient } from '../client/types.ts'
import type { Feature } from './profile.ts'

export interface ShopRequest extends RecordedRequest {
  /** Its arrival on the world's clock, milliseconds. */
  readonly came: number
}

export interface WorldRecord {
  /** The check, `calibration`, or null for the whole record of a world. */
  readonly check: CheckId | 'calibration' | null
  /** Whether the times of requests follow the shop's clock. */
  readonly real: boolean
  /** Returns the milliseconds for which the machine of the run stood still in a span of real time. */
  readonly stalled?: (from: number, to: number) => number
  /** Oldest first. */
  readonly requests: readonly ShopRequest[]
  readonly callbacks: readonly CallbackDetails[]
  readonly transactions: readonly Transaction[]
  /** The states of KYC submissions and invitations, which no request of the shop contains. */
  readonly kyc: readonly Pick<KycReview, 'id' | 'status'>[]
  readonly invites: readonly (Pick<Invite, 'status'> & { readonly id?: number | null | undefined })[]
}

export interface Mark {
  readonly request: number
  readonly callback: number
  readonly transaction: number
}

export const START: Mark = { request: 0, callback: 0, transaction: 0 }

const numberOf = (id: string) => Number(/\d+$/.exec(id)?.[0] ?? 0)

export async function markOf(world: WorldClient): Promise<Mark> {
  const query = { limit: 1 }
  const [{ requests }, { callbacks }, { transactions }] = await Promise.all([
    world.call('listRequests', { query }),
    world.call('listCallbacks', { query }),
    world.call('listTransactions', { query }),
  ])
  return {
    request: numberOf(requests[0]?.id ?? ''),
    callback: callbacks[0]?.id ?? 0,
    transaction: transactions[0]?.id ?? 0,
  }
}

/** Returns the transactions after a mark, newest first. */
export const newTransactions = async (world: WorldClient, mark: Mark): Promise<readonly Transaction[]> =>
  (await world.call('listTransactions', { query: { limit: 200 } })).transactions.filter(
    ({ id }) => id > mark.transaction,
  )

/** Returns the requests after a mark, oldest first. */
export async function newRequests(world: WorldClient, mark: Mark): Promise<readonly ShopRequest[]> {
  const found: ShopRequest[] = []
  for (let before: string | undefined; ;) {
    const page = await world.call('listRequests', { query: { limit: 200, before } })
    const fresh = page.requests.filter(({ id }) => numberOf(id) > mark.request)
    found.push(...fresh.map((each) => ({ ...each, came: Date.parse(each.at) })))
    if (fresh.length < page.requests.length || page.next_before === null) return found.reverse()
    before = page.next_before
  }
}

/**
 * Returns the requests of one check. In a shared world, a shop may still query the orders of previous checks.
 * @param order - The prefix of the check's order names.
 * @param run - The part that is common to all order names of the run.
 */
export function ownRequests(
  requests: readonly ShopRequest[],
  transactions: readonly Transaction[],
  order: string,
  run: string,
): readonly ShopRequest[] {
  const names = new Set(
    transactions
      .filter(
        ({ external_reference }) => external_reference.includes(order) || !external_reference.includes(run),
      )
      .flatMap((each) => [each.reference, each.external_reference, each.checkout_request_id]),
  )
  return requests.filter(({ operation, body }) => {
    const text = JSON.stringify(body) ?? ''
    if (text.includes(order)) return true
    if (operation !== 'getTransactionStatus') return !text.includes(run)
    const { request_id } = (body ?? {}) as { readonly request_id?: unknown }
    return names.has(String(request_id))
  })
}

/**
 * @param known - Callbacks that the check has already read.
 * @param features - The features to read; all by default.
 */
export async function readRecord(
  world: WorldClient,
  mark: Mark,
  about: Pick<WorldRecord, 'check' | 'real'>,
  known?: ReadonlyMap<number, CallbackDetails>,
  features?: readonly Feature[],
): Promise<WorldRecord> {
  const has = (feature: Feature) => features?.includes(feature) ?? true
  const [requests, transactions, listed, { kyc }, { invites }] = await Promise.all([
    newRequests(world, mark),
    newTransactions(world, mark),
    world.callbacks.list(),
    has('kyc') ? world.call('listKycReviews', { query: { limit: 100 } }) : { kyc: [] },
    has('invitations') ? world.call('listInvites', { query: { limit: 200 } }) : { invites: [] },
  ])
  const fresh = listed.filter(({ id }) => id > mark.callback).slice(0, MAX_CALLBACKS)
  const callbacks = await Promise.all(
    fresh.map(({ id, attempt_count }) => {
      const details = known?.get(id)
      return details?.attempts.length === attempt_count ? details : world.callbacks.get(id)
    }),
  )
  return { ...about, requests, transactions, callbacks, kyc, invites }
}

/** Maximum number of callbacks whose attempts are read. */
const MAX_CALLBACKS = 200
