import type { Context } from 'hono'
import type { Look } from '../domain/context.ts'
import type { Env } from '../http/env.ts'
import type { CallbackRow, JobRow } from '../store/rows.ts'
import type { World } from '../worlds/world.ts'
import { callbackDetails, workView } from './callback-views.ts'
import { callbacksAbout } from './callbacks.ts'
import type { ControlHandlers } from './handlers.ts'
import { readDuration } from './read.ts'
import { inTime, waitIn } from './waiting.ts'

const LONGEST = 60_000
/** How much of the work that is owed an answer lists. */
const MOST_SCHEDULED = 20

const wanted = {
  delivered: (state: string) => state === 'delivered',
  failed: (state: string) => state === 'failed',
  over: (state: string) => state !== 'pending',
}

export const wait: Pick<ControlHandlers, 'waitForCallbacks'> = {
  async waitForCallbacks(c) {
    const { world } = c.var
    const { reference, count = 1, state = 'delivered', timeout = '10s' } = c.req.valid('query')
    const most = readDuration('timeout', timeout, LONGEST)
    const fits = (row: CallbackRow) => wanted[state](row.state)
    const look = (among?: readonly CallbackRow[]) =>
      world.read(async (look) => {
        if (among && !(await someAbout(look, among, reference))) return undefined
        const rows = (await callbacksAbout(look, reference)).filter(fits)
        if (rows.length < count) return undefined
        return Promise.all(rows.map((row) => callbackDetails(look, world.name, row)))
      })
    const callbacks = await whenThere(c, fits, look, most)
    if (callbacks) return c.json({ callbacks }, 200)

    const answer = await world.read(async (look) => {
      const rows = await callbacksAbout(look, reference)
      const there = rows.filter((row) => wanted[state](row.state)).length
      const jobs = await scheduled(look, reference)
      return {
        error_code: 'deadline_exceeded' as const,
        error_message: `${there} of ${count} callbacks were ${state} ${inTime(most, timeout)}; ${whatComes(world, jobs)}`,
        status_code: 504,
        callbacks: await Promise.all(rows.slice(-100).map((row) => callbackDetails(look, world.name, row))),
        scheduled: jobs,
      }
    })
    return c.json(answer, 504)
  },
}

/**
 * What `look` finds, looked for once now and then among the callbacks of each commit that fit; undefined when the time is
 * over or the client has left.
 */
function whenThere<T>(
  c: Context<Env>,
  fits: (row: CallbackRow) => boolean,
  look: (among?: readonly CallbackRow[]) => Promise<T | undefined>,
  most: number,
): Promise<T | undefined> {
  return waitIn<T>(c, most, (found, failed) => {
    const check = (among?: readonly CallbackRow[]) =>
      look(among).then((there) => there !== undefined && found(there), failed)
    const stop = c.var.world.onCommit((written) => {
      const rows = written.flatMap(({ table, row }) =>
        table === 'callbacks' && row ? [row as CallbackRow] : [],
      )
      const fitting = rows.filter(fits)
      if (fitting.length > 0) void check(fitting)
    })
    void check()
    return stop
  })
}

/** Whether one of these callbacks is of a transaction that goes by this name. */
async function someAbout({ rows }: Look, callbacks: readonly CallbackRow[], reference: string | undefined) {
  if (reference === undefined) return true
  for (const { transaction_id } of callbacks) {
    const row = await rows.get('transactions', transaction_id)
    if (row && [row.reference, row.checkout_request_id, row.external_reference].includes(reference))
      return true
  }
  return false
}

async function scheduled(look: Look, reference: string | undefined) {
  const about =
    reference === undefined
      ? undefined
      : new Set((await look.rows.find('transactions', 'identifier', reference)).map((row) => row.reference))
  const views = []
  for (let offset = 0; views.length < MOST_SCHEDULED; offset += 100) {
    const jobs: readonly JobRow[] = await look.rows.walk('jobs', 'due', 0, { offset, limit: 100 })
    for (const job of jobs) {
      const view = await workView(look, job)
      if (!about || (view.transaction !== null && about.has(view.transaction))) views.push(view)
    }
    if (jobs.length < 100) break
  }
  return views.slice(0, MOST_SCHEDULED)
}

function whatComes(world: World, [next]: readonly Awaited<ReturnType<typeof workView>>[]): string {
  if (!next) return 'nothing is scheduled'
  const what = `scheduled next: ${next.kind}${next.transaction ? ` of ${next.transaction}` : ''} at ${next.due_at}`
  if (world.clock.state.factor !== 0) return what
  return `${what}; the world's clock stands still: POST /sandbox/clock/advance or /sandbox/settle`
}
