import { callbackDetails } from './callbacks.ts'
import { workView } from './jobs.ts'
import { handlers, pageOf, ok } from './page.ts'
import { inTime, waitIn, type Waiting } from './waiting.ts'
import { timeSlice } from '../lib/clock/clock.ts'
import { repeat } from '../lib/clock/after.ts'
import type { CallbackWaitTimeout } from '../generated/control/types.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import type { Look } from '../service/domain/context.ts'
import { waitsUntil } from '../service/domain/prompts.ts'
import { exactTime, readDuration } from '../service/domain/wire-time.ts'
import { releaseOf } from '../scenarios/incidents.ts'
import type { CallbackRow, JobRow, TransactionRow } from '../storage/store/payment-rows.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'

const LONGEST = 60_000
/** Maximum number of pending jobs listed. */
const MOST_SCHEDULED = 20

/** Maximum number of callbacks returned after a timeout. */
const MOST_SHOWN = 100

/** Maximum number of transactions with one reference that a response counts. */
const MOST_COUNTED = 1_000

const wanted = {
  delivered: (state: string) => state === 'delivered',
  failed: (state: string) => state === 'failed',
  final: (state: string) => state !== 'pending',
}

export const wait = handlers(({ worlds }) => ({
  async waitForCallbacks(call) {
    const { world } = call
    const { reference, count = 1, state = 'delivered', timeout = '4s' } = call.request.query
    const most = readDuration('timeout', timeout, { most: LONGEST })
    const fits = (row: CallbackRow) => wanted[state](row.state)
    const callbacks = await untilThere(call, worlds, { reference, fits, count }, most)
    if (callbacks && callbacks !== 'hopeless') {
      const transactions = await world.read((look) => countOf(look, reference))
      return ok({ callbacks: [...callbacks], transactions })
    }

    const answer = await world.readInSlices(async (look) => {
      const there = callbacksOver(look, reference).filter(fits).length
      const rows = callbacksOfNewest(look, reference) ?? (await newest(look, world.name))
      const jobs = await scheduled(look, world, reference)
      const others = rows.filter((row) => !fits(row))
      const { cause, text } = causeOf(look, world, { reference, there, others, jobs })
      return {
        error_code: 'deadline_exceeded' as const,
        error_message: `${there} of ${count} callbacks were ${state} ${callbacks ? `so far, and no other can be within ${timeout}` : inTime(most, timeout)}; ${text}${whyNot(look, world, others)}${whichCounts(look, reference)} (${cause})`,
        status_code: 504,
        cause,
        callbacks: rows.slice(-MOST_SHOWN).map((row) => callbackDetails(look, world.name, row)),
        transactions: countOf(look, reference),
        scheduled: jobs,
      }
    })
    return { status: 504, body: answer }
  },
}))

/** Counts the transactions with this reference, or null if no reference is given. */
const countOf = (look: Look, reference: string | undefined) =>
  reference === undefined ? null : transactionsCalled(look, reference, MOST_COUNTED).length

/** Names the transaction whose callbacks count if several share the reference. */
function whichCounts(look: Look, reference: string | undefined): string {
  const count = countOf(look, reference) ?? 0
  if (reference === undefined || count < 2) return ''
  const newest = newestCalled(look, reference)
  const many = count < MOST_COUNTED ? `${count}` : `${MOST_COUNTED} or more`
  return `; ${many} transactions have the reference ${reference}, and only callbacks of the newest, ${newest!.reference}, count`
}

const newest = async (look: Look, world: string) =>
  (await pageOf(look, world, 'callbacks', { limit: MOST_SHOWN })).rows.toReversed()

async function scheduled(look: Look, world: World, reference: string | undefined) {
  const about = newestCalled(look, reference)?.reference
  const views = []
  const slice = await timeSlice(world.name)
  for (let offset = 0; views.length < MOST_SCHEDULED; offset += 100) {
    const jobs: readonly JobRow[] = look.rows.walk('jobs', 'due', 0, { offset, limit: 100 })
    for (const job of jobs) {
      if (slice.over) await slice.next()
      const view = workView(look, job)
      if (reference === undefined || view.transaction === about) views.push(view)
    }
    if (jobs.length < 100) break
  }
  return views.slice(0, MOST_SCHEDULED)
}

/** Explains the state of the last callback that does not match. */
function whyNot(look: Look, world: World, others: readonly CallbackRow[]): string {
  const row = others.at(-1)
  if (!row) return ''
  const { callback, attempts } = callbackDetails(look, world.name, row)
  const last = attempts.at(-1)
  const about = `; callback ${callback.id} of ${callback.external_reference || callback.transaction} is ${callback.state}`
  if (!last) return about
  const came = last.response ? `answered ${last.response.status}` : last.error
  const advice = last.advice === '' ? '' : ` (${last.advice})`
  return `${about} after ${attempts.length} attempt${attempts.length === 1 ? '' : 's'}, the last one to ${last.url}: ${came}${advice}`
}

/** The state of a wait without enough callbacks. */
interface Missing {
  readonly reference: string | undefined
  /** The number of matching callbacks. */
  readonly there: number
  /** Callbacks in another state, oldest first. */
  readonly others: readonly CallbackRow[]
  readonly jobs: readonly ReturnType<typeof workView>[]
}

/** Returns why callbacks are missing: a cause of docs/errors.md, and its text. */
function causeOf(
  look: Look,
  world: World,
  { reference, there, others, jobs }: Missing,
): { readonly cause: CallbackWaitTimeout['cause']; readonly text: string } {
  const [next] = jobs
  const about = newestCalled(look, reference)
  if (reference !== undefined && !about)
    return {
      cause: 'no_payment',
      text: `no payment has the reference ${reference}${nearest(look, reference)}`,
    }
  if (about?.callback_url === '' && others.length === 0)
    return { cause: 'no_callback_url', text: `payment ${about.reference} has no callback_url` }
  if (next) {
    const what = `scheduled next: ${next.kind}${next.transaction ? ` of ${next.transaction}` : ''} at ${next.due_at}`
    if (world.clock.state.speed !== 0) return { cause: 'pending', text: what }
    const count = jobs.length < MOST_SCHEDULED ? jobs.length : `${MOST_SCHEDULED} or more`
    const frozen = `the world's clock is frozen with ${count} job${count === 1 ? '' : 's'} pending`
    return {
      cause: 'clock_frozen',
      text: `${what}; ${frozen}: POST /sandbox/clock/advance or /sandbox/settle`,
    }
  }
  const none = 'nothing is scheduled'
  if (others.at(-1)?.state === 'failed') return { cause: 'retries_exhausted', text: none }
  if (!about || there > 0 || others.length > 0) return { cause: 'nothing_scheduled', text: none }
  const { status, scenario } = about
  const decided = scenario ? ` by the outcome ${scenario}` : ''
  const incident = about.plan?.settle?.held_by
  if (status === 'QUEUED' && incident !== undefined) {
    const release = releaseOf(look, about)
    const until = release === undefined ? 'and no backlog releases it' : `until ${exactTime(release)}`
    return {
      cause: release === undefined ? 'never_settles' : 'pending',
      text: `the incident ${incident} keeps the payment QUEUED ${until}`,
    }
  }
  if (status === 'QUEUED')
    return { cause: 'never_settles', text: `${none}: the payment stays QUEUED${decided}` }
  return { cause: 'callback_dropped', text: `${none}: the payment is ${status} without a callback${decided}` }
}

/** Returns the reference of a recent transaction that is spelt similarly. */
function nearest({ rows }: Look, reference: string): string {
  const recent = rows.below('transactions', { before: Infinity, limit: MOST_SHOWN })
  return didYouMean(reference, [...new Set(recent.map((row) => row.external_reference))])
}

/** Returns whether nothing that is scheduled can deliver the callbacks in time, and no payer is asked. */
async function isHopeless(
  look: Look,
  world: World,
  { reference, fits }: WantedCallbacks,
  timeout: number,
): Promise<boolean> {
  const about = newestCalled(look, reference)
  if (!about || waitsUntil(about) !== undefined) return false
  const { speed } = world.clock.state
  const jobs = await scheduled(look, world, reference)
  const others = callbacksOver(look, reference).filter((row) => !fits(row))
  const end = look.now + timeout * speed
  if (jobs.length === 0)
    return others.every(({ state }) => state !== 'pending') && !(releaseOf(look, about)! <= end)
  return jobs.every(({ due_at }) => Date.parse(due_at) > end)
}

/** Maximum number of callbacks returned; the newest. */
const MOST_TOLD = 1_000

interface WantedCallbacks {
  /**
   * Any identifier of a transaction, the newest if several share it. If omitted, callbacks of all
   * transactions match.
   */
  readonly reference: string | undefined
  readonly fits: (row: CallbackRow) => boolean
  readonly count: number
}

type Details = readonly ReturnType<typeof callbackDetails>[]

/**
 * Resolves to the matching callbacks as soon as enough exist, to undefined when the time is up or the client
 * disconnects, or to `hopeless` when the time cannot be enough. Existing callbacks are checked once, others when they are written.
 * @param timeout - milliseconds of real time
 */
async function untilThere(
  call: Waiting,
  worlds: Worlds,
  wanted: WantedCallbacks,
  timeout: number,
): Promise<Details | 'hopeless' | undefined> {
  const { world } = call
  const { reference, fits, count } = wanted
  const fitting = new Set<number>()
  const there = async () => (fitting.size < count ? undefined : detailsOf(world, fitting, wanted))
  const note = async (rows: readonly CallbackRow[]) => {
    for (const { id } of rows) fitting.delete(id)
    const fit = rows.filter(fits)
    const about = await world.read((look) => fit.filter(amongAbout(look, reference)))
    for (const { id } of about) fitting.add(id)
  }
  let noted: (noting: Promise<void>) => void = (noting) => void noting.catch(() => {})
  const stop = world.onCommit((written) => {
    const rows = written.flatMap(({ table, row }) =>
      table === 'callbacks' && row ? [row as CallbackRow] : [],
    )
    if (rows.length > 0) noted(note(rows))
  })
  try {
    const looking = firstLook(world, wanted, fitting)
    if (timeout > 0) {
      const found = await waitIn<Details | 'hopeless'>(call, worlds, timeout, (found, failed) => {
        const check = () => there().then((details) => details && found(details))
        noted = (noting) => void noting.then(check).catch(failed)
        noted(looking)
        // Others may still advance the clock or pay meanwhile.
        return repeat(Math.max(1, timeout / 4), () => {
          const hopeless = world.readInSlices((look) => isHopeless(look, world, wanted, timeout))
          void hopeless.then((is) => is && found('hopeless')).catch(failed)
        })
      })
      if (found && found !== 'hopeless') return found
      if (found) return (await there()) ?? found
    }
    // The time may be up before all existing callbacks are checked.
    await looking
    return await there()
  } finally {
    stop()
  }
}

const firstLook = (world: World, { reference, fits }: WantedCallbacks, fitting: Set<number>) =>
  world.readInSlices(async (look) => {
    const slice = await timeSlice(world.name)
    for (const row of callbacksOver(look, reference)) {
      if (slice.over) await slice.next()
      if (fits(row)) fitting.add(row.id)
    }
  })

/** Returns the callbacks that still match, or undefined if too few are left. */
const detailsOf = (world: World, fitting: Set<number>, { reference, fits, count }: WantedCallbacks) =>
  world.readInSlices(async (look) => {
    const details = []
    const about = amongAbout(look, reference)
    const slice = await timeSlice(world.name)
    for (const id of [...fitting].sort((a, b) => a - b).slice(-MOST_TOLD)) {
      if (slice.over) await slice.next()
      const row = look.rows.get('callbacks', id)
      // A newer transaction may have used the same reference in the meantime.
      if (row && fits(row) && about(row)) details.push(callbackDetails(look, world.name, row))
      else fitting.delete(id)
    }
    return details.length < count ? undefined : details
  })

/** Returns a test for callbacks of the newest transaction with this reference. */
function amongAbout(look: Look, reference: string | undefined): (callback: CallbackRow) => boolean {
  if (reference === undefined) return () => true
  const newest = newestCalled(look, reference)
  return ({ transaction_id }) => transaction_id === newest?.id
}

/** Returns the transactions with this reference, newest first. */
const transactionsCalled = ({ rows }: Look, reference: string, limit: number): readonly TransactionRow[] =>
  rows.newest('transactions', 'identifier', reference, { offset: 0, limit })

const newestCalled = (look: Look, reference: string | undefined): TransactionRow | undefined =>
  reference === undefined ? undefined : transactionsCalled(look, reference, 1)[0]

/** Returns the callbacks of the newest transaction with this reference, oldest first. */
function callbacksOfNewest(look: Look, reference: string | undefined): readonly CallbackRow[] | undefined {
  if (reference === undefined) return undefined
  const newest = newestCalled(look, reference)
  return newest ? look.rows.find('callbacks', 'transaction', newest.id).toSorted((a, b) => a.id - b.id) : []
}

/** Returns the callbacks of a transaction, or all finished ones, of which a world keeps few. */
function callbacksOver(look: Look, reference: string | undefined): readonly CallbackRow[] {
  const about = callbacksOfNewest(look, reference)
  if (about) return about
  const over = look.rows.walk('callbacks', 'over', 1, { offset: 0, limit: Infinity })
  return over.toSorted((a, b) => a.id - b.id)
}
