/** Whether the probe can be believed: an ordinary payment must move it, a failed one must not. */
import { systemWall } from '../lib/clock/clock.ts'
import type { ProbeStanding } from './certification.ts'
import { type Pace, standingText } from './probe.ts'
import { pause } from './pause.ts'
import type { PaidOrder } from './orders.ts'
import type { Stage } from './stage.ts'
import { held } from './tries/receiver-signatures.ts'
import { NoPayment, Undecided } from './undecided.ts'

export interface Calibrated {
  readonly standing: ProbeStanding
  /** How patiently the shop has to be asked. */
  readonly pace: Pace
  /** Whether the shop took any payment; without one nothing is worth trying. */
  readonly pays: boolean
}

/** @param stage whose probe is the one to be tried */
export async function calibrate(stage: Stage, patient: Pace): Promise<Calibrated> {
  const useless = (because: string): Calibrated => ({
    standing: { usable: false, counts: false, because },
    pace: patient,
    pays: true,
  })
  try {
    const paid = await first(stage)
    const before = await stage.believes(paid)
    if (before.state === 'paid') return useless(`Before anything was paid it says ${standingText(before)}.`)
    if ((before.fulfilled ?? 0) > 0)
      return useless(`Before anything was paid it says ${standingText(before)}.`)
    stage.notes.did('It succeeds, and its callback is sent.')
    await stage.end(paid)
    const sent = await stage.callbacks.send(paid, 'good')
    const began = systemWall()
    const after = await stage.believes(paid, ({ state, fulfilled = 1 }) => state === 'paid' && fulfilled >= 1)
    const lag = Math.max(0, systemWall() - began - patient.still)
    const pace = { still: Math.min(2_000, Math.max(30, lag)), hope: Math.min(8_000, Math.max(400, lag * 4)) }
    const told = `After a good callback (answered ${sent.status ?? 'nothing'}) it says ${standingText(after)}`
    if (after.state === 'unknown') return useless(`${told}; the profile’s means do not have that word.`)
    if (after.state !== 'paid') return useless(`${told}, not paid.`)
    if (after.fulfilled !== undefined && after.fulfilled !== 1) return useless(`${told}, not once.`)
    const failed = await failedOne(stage)
    if (failed.state === 'paid' || (failed.fulfilled ?? 0) > 0)
      return useless(`Of a failed payment it says ${standingText(failed)}.`)
    const counts = after.fulfilled !== undefined
    const because = `A payment moved it from ${standingText(before)} to ${standingText(after)}; a failed one left it at ${standingText(failed)}.`
    return { standing: { usable: true, counts, because }, pace, pays: true }
  } catch (error) {
    if (error instanceof Undecided) return { ...useless(error.message), pays: !(error instanceof NoPayment) }
    throw error
  }
}

/** A shop that is started at the same time, as in a pipeline, may take so long, milliseconds. */
const START_LIMIT = 10_000

/** The first payment, once the shop listens. */
async function first(stage: Stage): Promise<PaidOrder> {
  const end = systemWall() + START_LIMIT
  for (let n = 0; ; n++) {
    try {
      return await held(stage)
    } catch (error) {
      if (!(error instanceof NoPayment && error.unheard) || systemWall() > end) throw error
      if (n === 0) stage.hands.say('The shop does not listen yet: it is waited for.')
      await pause(250)
    }
  }
}

async function failedOne(stage: Stage) {
  const paid = await held(stage)
  stage.notes.did('It fails, and its callback is sent.')
  await stage.end(paid, 'failed')
  await stage.callbacks.send(paid, 'failed')
  return stage.believes(paid)
}
