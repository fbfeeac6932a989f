import { timeSlice } from '../lib/clock/time-slice.ts'
import type { Look } from '../service/domain/context.ts'
import type { CallbackRow, JobRow } from '../storage/store/payment-rows.ts'
import type { World } from '../worlds/world.ts'
import { callbackDetails, workView } from './callback-views.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { ControlDependencies } from './dependencies.ts'
import { pageOf } from './page.ts'
import { readDuration } from '../service/domain/wire-time.ts'
import { inTime } from './waiting.ts'
import { callbacksOfNewest, callbacksOver, transactionsCalled, untilThere } from './wait-for-callbacks.ts'

const LONGEST = 60_000
/** How many of the jobs that are pending an answer lists. */
const MOST_SCHEDULED = 20

/** How many callbacks an answer shows that came too late. */
const MOST_SHOWN = 100

/** Maximum number of transactions with one reference that a response counts. */
const MOST_COUNTED = 1_000

const wanted = {
  delivered: (state: string) => state === 'delivered',
  failed: (state: string) => state === 'failed',
  over: (state: string) => state !== 'pending',
}

type Handlers = Pick<ControlHandlers, 'waitForCallbacks'>

export const wait = ({ worlds }: ControlDependencies): Handlers => ({
  async waitForCallbacks(call) {
    const { world } = call
    const { reference, count = 1, state = 'delivered', timeout = '10s' } = call.request.query
    const most = readDuration('timeout', timeout, { most: LONGEST })
    const fits = (row: CallbackRow) => wanted[state](row.state)
    const callbacks = await untilThere(call, worlds, { reference, fits, count }, most)
    if (callbacks) {
      const transactions = await world.read((look) => countOf(look, reference))
      return { status: 200, body: { callbacks: [...callbacks], transactions } }
    }

    const answer = await world.readInSlices(async (look) => {
      const there = callbacksOver(look, reference).filter(fits).length
      const rows = callbacksOfNewest(look, reference) ?? (await newest(look, world.name))
      const jobs = await scheduled(look, world, reference)
      return {
        error_code: 'deadline_exceeded' as const,
        error_message: `${there} of ${count} callbacks were ${state} ${inTime(most, timeout)}; ${whatComes(world, jobs)}${whyNot(
          look,
          world,
          rows.filter((row) => !fits(row)),
        )}${whichCounts(look, reference)}`,
        status_code: 504,
        callbacks: rows.slice(-MOST_SHOWN).map((row) => callbackDetails(look, world.name, row)),
        transactions: countOf(look, reference),
        scheduled: jobs,
      }
    })
    return { status: 504, body: answer }
  },
})

/** Counts the transactions with this reference; null if no reference is given. */
const countOf = (look: Look, reference: string | undefined) =>
  reference === undefined ? null : transactionsCalled(look, reference, MOST_COUNTED).length

/** Names the transaction whose callbacks count if several share the reference. */
function whichCounts(look: Look, reference: string | undefined): string {
  const count = countOf(look, reference) ?? 0
  if (reference === undefined || count < 2) return ''
  const [newest] = transactionsCalled(look, reference, 1)
  const many = count < MOST_COUNTED ? `${count}` : `${MOST_COUNTED} or more`
  return `; ${many} transactions have the reference ${reference}, and only callbacks of the newest, ${newest!.reference}, count`
}

const newest = async (look: Look, world: string) =>
  (await pageOf(look, world, 'callbacks', { limit: MOST_SHOWN })).rows.toReversed()

async function scheduled(look: Look, world: World, reference: string | undefined) {
  const about =
    reference === undefined
      ? undefined
      : new Set(transactionsCalled(look, reference, 1).map((row) => row.reference))
  const views = []
  const slice = await timeSlice(world.name)
  for (let offset = 0; views.length < MOST_SCHEDULED; offset += 100) {
    const jobs: readonly JobRow[] = look.rows.walk('jobs', 'due', 0, { offset, limit: 100 })
    for (const job of jobs) {
      if (slice.over) await slice.next()
      const view = workView(look, job)
      if (!about || (view.transaction !== null && about.has(view.transaction))) views.push(view)
    }
    if (jobs.length < 100) break
  }
  return views.slice(0, MOST_SCHEDULED)
}

/** Why the last one that is not as it was wanted is as it is. */
function whyNot(look: Look, world: World, others: readonly CallbackRow[]): string {
  const row = others.at(-1)
  if (!row) return ''
  const { callback, attempts } = callbackDetails(look, world.name, row)
  const last = attempts.at(-1)
  const about = `; callback ${callback.id} of ${callback.external_reference || callback.transaction} is ${callback.state}`
  if (!last) return about
  const came = last.answer ? `answered ${last.answer.status}` : last.error
  const advice = last.advice === '' ? '' : ` (${last.advice})`
  return `${about} after ${attempts.length} attempt${attempts.length === 1 ? '' : 's'}, the last one to ${last.url}: ${came}${advice}`
}

function whatComes(world: World, [next]: readonly ReturnType<typeof workView>[]): string {
  if (!next) return 'nothing is scheduled'
  const what = `scheduled next: ${next.kind}${next.transaction ? ` of ${next.transaction}` : ''} at ${next.due_at}`
  if (world.clock.state.factor !== 0) return what
  return `${what}; the world's clock stands still: POST /sandbox/clock/advance or /sandbox/settle`
}
