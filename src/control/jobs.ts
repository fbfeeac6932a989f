import { sliceOf, type TimeSlice } from '../lib/clock/time-slice.ts'
import type { Look } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import type { ListJobsQuery } from '../generated/control/requests.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { shown } from '../lib/text/shown.ts'
import type { JobRow, JobTask } from '../storage/store/payment-rows.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { jobKinds, jobView } from './job-views.ts'
import { MOST_LOOKED_AT } from './page.ts'

/** How many jobs are read at once. */
const A_LOOK = 1_000

export const jobs: Pick<ControlHandlers, 'listJobs'> = {
  async listJobs(call) {
    const { world } = call
    const { query } = call.request
    const { kind } = query
    if (kind !== undefined && !jobKinds.includes(kind as JobTask['kind']))
      throw invalid(
        `kind must be one of ${jobKinds.join(', ')}, got ${shown(kind)}${didYouMean(kind, jobKinds)}`,
      )
    const slice = sliceOf(world.name)
    return { status: 200, body: await world.readInSlices((look) => pageOf(look, query, slice)) }
  },
}

/** A page of the order in which work falls due; it goes on after a place, however much was done meanwhile. */
async function pageOf(
  look: Look,
  { state, kind, until, after, limit = 100 }: ListJobsQuery,
  slice: TimeSlice,
) {
  const group = state === 'given_up' ? 1 : 0
  const end = until === undefined ? Infinity : Date.parse(until)
  const { rows } = look
  const found: JobRow[] = []
  const page = (next: JobRow | undefined) => ({
    jobs: found.slice(0, limit).map((job) => jobView(look, job)),
    total: rows.count('jobs', 'due', group),
    next_after: next ? placeOf(next) : null,
  })
  const from = after === undefined ? 0 : rows.rank('jobs', 'due', group, placeAfter(after)).count
  for (let looked = 0; ; looked += A_LOOK) {
    const some = rows.walk('jobs', 'due', group, { offset: from + looked, limit: A_LOOK })
    found.push(...some.filter((job) => job.due_at <= end && (kind === undefined || job.task.kind === kind)))
    if (found.length > limit) return page(found[limit - 1])
    const last = some.at(-1)
    if (some.length < A_LOOK || last!.due_at > end) return page(undefined)
    if (looked + A_LOOK >= MOST_LOOKED_AT) return page(last)
    if (slice.over) await slice.next()
  }
}

const placeOf = ({ due_at, id }: JobRow) => `${due_at}-${id}`

/** The place after a job. @throws ServiceError 400 for what no page gave */
function placeAfter(after: string): { readonly by: number; readonly key: number } {
  const [, by, id] = /^(-?\d{1,16})-(\d{1,15})$/.exec(after) ?? []
  if (by === undefined || id === undefined)
    throw invalid(`after must be the next_after of a page, such as 1782780293000-14, got ${shown(after)}`)
  return { by: Number(by), key: Number(id) + 1 }
}
