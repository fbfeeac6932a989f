/** Whether the probe can be believed: an ordinary payment must move it, a failed one must not. */
import { systemWall } from '../lib/clock/clock.ts'
import type { ProbeStanding } from './certification.ts'
import { type Pace, standingText } from './probe.ts'
import { pause } from './waiting.ts'
import type { PaidOrder } from './orders.ts'
import type { CheckRun } from './check-run.ts'
import { pendingPayment } from './checks/steps.ts'
import { NoPaymentError, InconclusiveError } from './inconclusive.ts'

export interface Calibration {
  readonly standing: ProbeStanding
  /** How patiently the shop has to be asked. */
  readonly pace: Pace
  /** Whether the shop took any payment; without one nothing is worth trying. */
  readonly pays: boolean
}

/** @param run whose probe is the one to be tried */
export async function calibrate(run: CheckRun, patient: Pace): Promise<Calibration> {
  const useless = (because: string): Calibration => ({
    standing: { usable: false, counts: false, because },
    pace: patient,
    pays: true,
  })
  try {
    const paid = await first(run)
    const before = await run.standing(paid)
    if (before.state === 'paid') return useless(`Before anything was paid it says ${standingText(before)}.`)
    if ((before.fulfilled ?? 0) > 0)
      return useless(`Before anything was paid it says ${standingText(before)}.`)
    run.evidence.step('It succeeds, and its callback is sent.')
    await run.endPayment(paid)
    const sent = await run.callbacks.send(paid, 'good')
    const began = systemWall()
    const after = await run.standing(paid, ({ state, fulfilled = 1 }) => state === 'paid' && fulfilled >= 1)
    const lag = Math.max(0, systemWall() - began - patient.still)
    const pace = { still: Math.min(2_000, Math.max(30, lag)), hope: Math.min(8_000, Math.max(400, lag * 4)) }
    const told = `After a good callback (answered ${sent.status ?? 'nothing'}) it says ${standingText(after)}`
    if (after.state === 'unknown') return useless(`${told}; the profile’s means do not have that word.`)
    if (after.state !== 'paid') return useless(`${told}, not paid.`)
    if (after.fulfilled !== undefined && after.fulfilled !== 1) return useless(`${told}, not once.`)
    const failed = await failedOne(run)
    if (failed.state === 'paid' || (failed.fulfilled ?? 0) > 0)
      return useless(`Of a failed payment it says ${standingText(failed)}.`)
    const counts = after.fulfilled !== undefined
    const because = `A payment moved it from ${standingText(before)} to ${standingText(after)}; a failed one left it at ${standingText(failed)}.`
    return { standing: { usable: true, counts, because }, pace, pays: true }
  } catch (error) {
    if (error instanceof InconclusiveError)
      return { ...useless(error.message), pays: !(error instanceof NoPaymentError) }
    throw error
  }
}

/** A shop that is started at the same time, as in a pipeline, may take so long, milliseconds. */
const START_LIMIT = 10_000

/** The first payment, once the shop listens. */
async function first(run: CheckRun): Promise<PaidOrder> {
  const end = systemWall() + START_LIMIT
  for (let n = 0; ; n++) {
    try {
      return await pendingPayment(run)
    } catch (error) {
      if (!(error instanceof NoPaymentError && error.unheard) || systemWall() > end) throw error
      if (n === 0) run.access.say('The shop does not listen yet: it is waited for.')
      await pause(250)
    }
  }
}

async function failedOne(run: CheckRun) {
  const paid = await pendingPayment(run)
  run.evidence.step('It fails, and its callback is sent.')
  await run.endPayment(paid, 'failed')
  await run.callbacks.send(paid, 'failed')
  return run.standing(paid)
}
