import { pause, systemWall } from '../lib/clock/clock.ts'
import type { ProbeStanding } from './certification.ts'
import type { CheckRun } from './check-run.ts'
import type { PaidOrder } from './orders.ts'
import { isUnpaid, type Pace, type Standing, standingText } from './probe.ts'
import { InconclusiveError, NoPaymentError } from './shop-access.ts'

export interface Calibration {
  /** The usability of the probe, or null without one. */
  readonly standing: ProbeStanding | null
  /** The measured pace of the shop. */
  readonly pace: Pace
  /** Whether the shop considers orders paid whose payment is still pending. */
  readonly isEager: boolean
  /** Whether the shop took a payment. Without one, no check can run. */
  readonly pays: boolean
  /** How long the shop takes for a response, milliseconds. */
  readonly response: number
}

/** Without a trigger or a probe, nothing can be measured. */
export const uncalibrated = (pace: Pace): Calibration => ({
  standing: null,
  pace,
  isEager: false,
  pays: true,
  response: 0,
})

/**
 * Makes a successful and a failed payment, and compares the probe's responses to those for an order that was never placed. A
 * shop that already considers a pending payment paid is at fault, not its probe.
 */
export async function calibrate(run: CheckRun, patient: Pace): Promise<Calibration> {
  const found: { -readonly [Name in keyof Calibration]: Calibration[Name] } = uncalibrated(patient)
  const useless = (because: string) => ({ ...found, standing: { usable: false, counts: false, because } })
  try {
    const paid = await firstPayment(run)
    found.response = (await paid.trigger).exchange.duration_ms
    const unplaced = await run.look!(`${paid.order}-never-placed`).catch(() => undefined)
    if (unplaced && !isUnpaid(unplaced))
      return useless(`For an order that was never placed, it returns ${standingText(unplaced)}.`)
    const before = await run.standing(paid)
    const isEager = !isUnpaid(before)
    run.evidence.step('The payment succeeds, and its callback is sent.')
    await run.endPayment(paid)
    const sent = await run.callbacks.send(paid, 'good')
    found.response = Math.max(found.response, sent.exchange.duration_ms)
    const began = systemWall()
    const atOnce = await run.look!(paid.order)
    const { settles } = run.profile.receiver
    const slowest = {
      ...patient,
      hope: settles === undefined ? SLOWEST_QUEUE : Math.max(1_000, settles * 1.5),
    }
    const arrived = ({ state, fulfilled = 1 }: Standing) => state === 'paid' && fulfilled >= 1
    const after = await run.standing(paid, arrived, slowest)
    const lag = Math.max(0, systemWall() - began - patient.still)
    const pace = {
      still: Math.min(1_000, Math.max(30, lag)),
      hope: Math.max(400, Math.min(60_000, lag * 4), (settles ?? 0) * 1.5),
      queues: settles !== undefined || !arrived(atOnce),
    }
    const seen = `After a valid callback (response: ${sent.status ?? 'none'}), it returns ${standingText(after)}`
    if (after.state === 'unknown') return useless(`${seen}, which is missing in means of the profile.`)
    if (after.state !== 'paid') return useless(`${seen}, not paid.`)
    if (after.fulfilled !== undefined && after.fulfilled < 1) return useless(`${seen}, not delivered.`)
    const failed = await failedPayment(run)
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

/** Milliseconds after which a callback without effect has none. */
const SLOWEST_QUEUE = 15_000

/** Milliseconds for the start of a shop that starts together with certify, such as in a pipeline. */
const START_LIMIT = 10_000

/** Takes the first payment as soon as the shop listens. */
async function firstPayment(run: CheckRun): Promise<PaidOrder> {
  const end = systemWall() + START_LIMIT
  for (let n = 0; ; n++) {
    try {
      return await run.pendingPayment()
    } catch (error) {
      if (!(error instanceof NoPaymentError && error.isConnectionRefused) || systemWall() > end) throw error
      if (n === 0) run.access.say('Waiting for the shop to listen.')
      await pause(250)
    }
  }
}

async function failedPayment(run: CheckRun) {
  const paid = await run.pendingPayment()
  run.evidence.step('The payment fails, and its callback is sent.')
  await run.endPayment(paid, 'failed')
  await run.callbacks.send(paid, 'failed')
  return run.standing(paid)
}
