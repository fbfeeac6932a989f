import type { CheckResult } from '../certify/certification.ts'
import { mapInSlices, timeSlice } from '../lib/clock/time-slice.ts'
import type { Caller } from '../service/domain/context.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { seesTeams } from '../service/domain/visible.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import { type Given, GIVEN, NOTHING_GIVEN } from '../worlds/given.ts'
import { requestView } from '../worlds/request-view.ts'
import type { World } from '../worlds/world.ts'
import { callbackDetails } from './callback-views.ts'
import { MOST_LOOKED_AT, pageOf } from './page.ts'
import { transactionTest } from './transaction-filter.ts'
import { transactionView } from './transaction-views.ts'

/** Of how many of a kind the newest are looked at. */
const MOST = 200

export const certification: Pick<ControlHandlers, 'getCertification'> = {
  async getCertification(call) {
    const { world, caller } = call
    const { results, summary, record } = await judged(world, caller)
    const { ready, text, score, worst, mandatory, recommended } = summary
    const counts = ({ pass, fail, inconclusive, not_seen }: typeof mandatory) => ({
      pass,
      fail,
      inconclusive,
      not_seen,
    })
    return {
      status: 200,
      body: {
        world: world.name,
        at: wireTime(world.clock.now()),
        ready,
        text,
        score,
        worst,
        mandatory: counts(mandatory),
        recommended: counts(recommended),
        record,
        checks: results.map(checkView),
      },
    }
  },
}

/** Judges every check by the record of a world. */
export async function judged(world: World, caller: Caller) {
  const { judgeRecord } = await import('../certify/judge-record.ts')
  const { given, ...record } = await recordOf(world, caller)
  const slice = await timeSlice(world.name)
  const between = () => (slice.over ? slice.next() : undefined)
  return judgeRecord(record, given, world.clock.state.factor === 0, between)
}

function checkView({ id, group, title, level, how, verdict, seen, expected, why, mend, docs }: CheckResult) {
  // Without a profile nothing is out of place, and nothing is said to fail.
  const judged = verdict === 'not_applicable' || verdict === 'expected_fail' ? 'not_seen' : verdict
  return { id, group, title, level, how, verdict: judged, seen, expected, why, mend, docs } as const
}

/** Returns the record of the world as far as the caller may see it. */
async function recordOf(world: World, caller: Caller) {
  const slice = await timeSlice(world.name)
  const requests = await mapInSlices(await world.journal.all(), slice, (entry) => ({
    ...requestView(entry),
    came: entry.at,
  }))
  const rows = await world.readInSlices(async (look) => {
    const page = { limit: MOST, most: MOST_LOOKED_AT }
    const callbacks = await pageOf(look, world.name, 'callbacks', page)
    const transactions = await pageOf(
      look,
      world.name,
      'transactions',
      page,
      transactionTest(look, caller, {}),
    )
    const sees = seesTeams(look, caller)
    const kyc = await pageOf(look, world.name, 'kycs', page, (row) => sees(row.account_id))
    return {
      callbacks: await mapInSlices(callbacks.rows, slice, (row) => callbackDetails(look, world.name, row)),
      transactions: await mapInSlices(transactions.rows, slice, (row) => transactionView(look, row)),
      kyc: kyc.rows,
      given: (look.rows.get('state', GIVEN)?.value as Given | undefined) ?? NOTHING_GIVEN,
      invites: look.rows
        .walk('invites', 'age', 0, { offset: 0, limit: MOST, newestFirst: true })
        .filter((row) => sees(row.account_id)),
    }
  })
  return { check: null, real: true, requests, ...rows }
}
