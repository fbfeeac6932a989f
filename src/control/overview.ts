/** What a world needs from its developer now: waiting prompts, failures grouped by cause, and recent payments. */
import { failingCallbacks, RejectedRequests } from './failures.ts'
import { handlers, MOST_LOOKED_AT, ok, pageOf, walk } from './page.ts'
import { promptView } from './phones.ts'
import { transactionView } from './transactions.ts'
import type { OverviewMinute, OverviewPayment } from '../generated/control/types.ts'
import type { Caller, Look } from '../service/domain/context.ts'
import { isPrompt } from '../service/domain/phones.ts'
import { seesTeams } from '../service/domain/visible.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { JournalEntry } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'

/** Maximum number of prompts, and of attempts per callback in a response. */
const MOST_PROMPTS = 20
/** Maximum number of requests read. */
const MOST_REQUESTS = 1_000
const MOST_ATTEMPTS = 12

const MINUTE = 60_000
const MINUTES = 15
/** Age on the world's clock after which a rejected request is no longer reported. */
const RECENT = 60 * MINUTE

export const overview = handlers(() => ({
  async getOverview({ world, caller, request, left }) {
    const { limit = 50 } = request.query
    const body = await world.readInSlices(async (look) => {
      const sees = seesTeams(look, caller)
      const held = look.rows.find('transactions', 'held', 'yes').filter(({ account_id }) => sees(account_id))
      const prompts = held.filter(isPrompt).toSorted((a, b) => a.id - b.id)
      const fitsKyc = (row: { readonly status: string; readonly account_id: number }) =>
        (row.status === 'pending' || row.status === 'in_review') && sees(row.account_id)
      const kyc = await pageOf(look, world.name, 'kycs', { limit: 1_000, most: MOST_LOOKED_AT }, fitsKyc)
      const minutes = minutesUntil(look.now)
      return {
        now: look.now,
        prompts: {
          total: prompts.length,
          prompts: prompts.slice(0, MOST_PROMPTS).map((row) => promptView(look, row)),
        },
        kyc: { total: kyc.rows.length },
        abandoned_jobs: look.rows.count('jobs', 'due', 1),
        failing_callbacks: await failingCallbacks(world, look),
        payments: await recentPayments(world, look, caller, limit, minutes),
        minutes,
      }
    })
    const { now, minutes, ...rest } = body
    const rejected_requests = await rejectedRequests(world, now, minutes, left)
    return ok({ at: exactTime(now), ...rest, rejected_requests, minutes: minutes.map(minuteView) })
  },
}))

interface Minute {
  readonly at: number
  succeeded: number
  failed: number
  queued: number
  rejected_requests: number
}

function minutesUntil(now: number): Minute[] {
  const last = Math.floor(now / MINUTE) * MINUTE
  return Array.from({ length: MINUTES }, (_, n) => ({
    at: last - (MINUTES - 1 - n) * MINUTE,
    succeeded: 0,
    failed: 0,
    queued: 0,
    rejected_requests: 0,
  }))
}

const minuteOf = (minutes: readonly Minute[], at: number): Minute | undefined =>
  minutes[Math.floor((at - minutes[0]!.at) / MINUTE)]

const minuteView = ({ at, ...counts }: Minute): OverviewMinute => ({ at: exactTime(at), ...counts })

const results = { SUCCESS: 'succeeded', FAILED: 'failed', REVERSED: 'failed', QUEUED: 'queued' } as const

/** Returns the newest payments with their delivery attempts, and counts those of the last minutes. */
async function recentPayments(
  world: World,
  look: Look,
  caller: Caller,
  limit: number,
  minutes: readonly Minute[],
): Promise<OverviewPayment[]> {
  const sees = seesTeams(look, caller)
  const shown: TransactionRow[] = []
  const count = (row: TransactionRow) => {
    if (!sees(row.account_id)) return false
    const minute = minuteOf(minutes, row.created_at)
    if (minute) minute[results[row.status]]++
    if (shown.length < limit) shown.push(row)
    // Ends the search once it has left the counted minutes.
    return !minute && shown.length >= limit
  }
  await pageOf(look, world.name, 'transactions', { limit: 1, most: MOST_LOOKED_AT }, count)
  return shown.map((row) => ({
    transaction: transactionView(look, row),
    callbacks: look.rows.find('callbacks', 'transaction', row.id).map((callback) => ({
      id: callback.id,
      state: callback.state,
      attempts: look.rows
        .find('attempts', 'callback', callback.id)
        .slice(-MOST_ATTEMPTS)
        .map(({ at, status }) => ({ at: exactTime(at), status })),
    })),
  }))
}

/** Groups the rejected requests of the last hour, and counts those of the last minutes. */
async function rejectedRequests(world: World, now: number, minutes: readonly Minute[], left: AbortSignal) {
  const rejected = new RejectedRequests()
  const look = (entry: JournalEntry) => {
    if (entry.at <= now - RECENT) return false
    const minute = minuteOf(minutes, entry.at)
    if (rejected.add(entry) && minute) minute.rejected_requests++
    return undefined
  }
  await walk(world.name, await world.journal.newest(MOST_REQUESTS), look, left)
  return { total: rejected.total, groups: rejected.groups }
}
