import { pause, systemWall } from '../lib/clock/clock.ts'
import type { ProbeStanding } from './certification.ts'
import type { CheckRun } from './check-run.ts'
import type { PaidOrder } from './orders.ts'
import { isStatusQuery } from './checks/check.ts'
import { isUnpaid, type Pace, type Standing, standingText } from './probe.ts'
import { InconclusiveError, NoPaymentError } from './shop-access.ts'

export type Calibration = ReturnType<typeof uncalibrated>

/** Without a trigger or a probe, nothing can be measured. */
export const uncalibrated = (pace: Pace) => ({
  /** The usability of the probe, or null without one. */
  standing: null as ProbeStanding | null,
  pace,
  /** Whether the shop considers orders paid whose payment is still pending. */
  isEager: false,
  /** Whether the shop took a payment. Without one, no check can run. */
  pays: true,
  /** How long the shop takes for a response, milliseconds. */
  response: 0,
})

/**
 * Makes a successful and a failed payment, and compares the probe's responses to those for an order that was never placed. A
 * shop that already considers a pending payment paid is at fault, not its probe. Status queries do not return the success, so
 * that the pace is that of callbacks.
 * @param responded - Called after the first responses to a trigger and to a callback.
 */
export async function calibrate(run: CheckRun, patient: Pace, responded: () => void): Promise<Calibration> {
  const found = uncalibrated(patient)
  const useless = (because: string) => ({ ...found, standing: { usable: false, counts: false, because } })
  try {
    const paid = await firstPayment(run)
    found.response = (await paid.trigger).exchange.duration_ms
    const unplaced = await run.look!(`${paid.order}-never-placed`).catch(() => undefined)
    if (unplaced && !isUnpaid(unplaced))
      return useless(`For an order that was never placed, it returns ${standingText(unplaced)}.`)
    const before = await run.standing(paid)
    const isEager = !isUnpaid(before)
    const { settles } = run.profile.receiver
    const slowest = {
      ...patient,
      hope: settles === undefined ? SLOWEST_QUEUE : Math.max(1_000, settles * 1.5),
    }
    let sent = await end(run, paid, 'success')
    responded()
    found.response = Math.max(found.response, sent.exchange.duration_ms)
    const isRejected = sent.status === null || sent.status >= 300
    let effect = await effectOf(run, paid, isRejected ? patient : slowest)
    const trusts = arrived(effect.after)
    // A shop that rejects callbacks, or believes only status queries, needs a payment whose queries return the success.
    if (!trusts && (isRejected || (await run.orders.all()).some(isStatusQuery))) {
      const other = await run.pendingPayment()
      sent = await end(run, other, 'success')
      effect = await effectOf(run, other, slowest)
    }
    const { atOnce, after, lag } = effect
    const pace = {
      still: Math.min(1_000, Math.max(30, lag)),
      hope: Math.max(1_000, Math.min(60_000, lag * 4), (settles ?? 0) * 1.5),
      queues: settles !== undefined || !arrived(atOnce),
      trusts,
    }
    const seen = `After a valid callback (response: ${sent.status ?? 'none'}), it returns ${standingText(after)}`
    if (after.state === 'unknown') return useless(`${seen}, which is missing in means of the profile.`)
    if (after.state !== 'paid') return useless(`${seen}, not paid.`)
    if (after.fulfilled !== undefined && after.fulfilled < 1) return useless(`${seen}, not delivered.`)
    const failing = await run.pendingPayment()
    await end(run, failing, 'failed')
    const failed = await run.standing(failing)
    if (failed.state === 'unknown')
      return useless(
        `After a failed payment, it returns ${standingText(failed)}, which is missing in means of the profile.`,
      )
    const counts = after.fulfilled !== undefined
    const because = `A payment changed an order from ${standingText(before)} to ${standingText(after)}; after a failed payment it was ${standingText(failed)}.`
    return { ...found, standing: { usable: true, counts, because }, pace, isEager }
  } catch (error) {
    if (!(error instanceof InconclusiveError)) throw error
    return { ...useless(error.message), pays: !(error instanceof NoPaymentError) }
  }
}

const arrived = ({ state, fulfilled = 1 }: Standing) => state === 'paid' && fulfilled >= 1

async function end(run: CheckRun, paid: PaidOrder, outcome: 'success' | 'failed') {
  run.evidence.step(`The payment ${outcome === 'success' ? 'succeeds' : 'fails'}, and its callback is sent.`)
  await run.endPayment(paid, outcome)
  return run.callbacks.send(paid, outcome)
}

/** Measures the milliseconds until a callback takes effect. */
async function effectOf(run: CheckRun, paid: PaidOrder, pace: Pace) {
  const began = systemWall()
  const atOnce = await run.look!(paid.order)
  const after = await run.standing(paid, arrived, pace)
  return { atOnce, after, lag: Math.max(0, systemWall() - began - pace.still) }
}

/** Milliseconds after which a callback without effect has none. */
const SLOWEST_QUEUE = 15_000

/** Milliseconds for the start of a shop that starts together with certify, such as in a pipeline. */
const START_LIMIT = 10_000

/** Takes the first payment as soon as the shop listens. */
async function firstPayment(run: CheckRun): Promise<PaidOrder> {
  const end = systemWall() + START_LIMIT
  for (let n = 0; ; n++) {
    try {
      return await run.pendingPayment(true)
    } catch (error) {
      if (!(error instanceof NoPaymentError && error.isConnectionRefused) || systemWall() > end) throw error
      if (n === 0) run.access.say('Waiting for the shop to listen.')
      await pause(250)
    }
  }
}
