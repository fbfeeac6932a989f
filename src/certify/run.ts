/** Runs all checks: in parallel if each has its own world, and those that affect the whole shop in sequence. */
import { pause, systemWall } from '../lib/clock/clock.ts'
import { systemUuid } from '../lib/random/random.ts'
import type { Certification, CheckResult, ProbeStanding } from './certification.ts'
import type { CheckId } from './check-ids.ts'
import { CheckRun } from './check-run.ts'
import { checkOf, checks as definitions } from './checks.ts'
import { type ActiveCheck, type Finding, notSeen, type RecordCheck, unsure } from './checks/check.ts'
import type { RunContext } from './context.ts'
import type { TestEnvironment } from './environment.ts'
import type { Evidence } from './evidence.ts'
import { InconclusiveError, NoPaymentError } from './shop-access.ts'
import type { Progress } from './options.ts'
import type { PaidOrder } from './orders.ts'
import { isUnpaid, lookBy, type Pace, patientPace, type Standing, standingText } from './probe.ts'
import { type Feature, implied, type Profile, type Receivers } from './profile.ts'
import { noEvidence, resultOf, summaryOf, withCauses } from './results.ts'
import { requestSender } from './shop-access.ts'
import { unlessAborted } from './waiting.ts'
import type { WorldRecord } from './world-record.ts'

interface RunOptions {
  readonly profile: Profile
  readonly environment: TestEnvironment
  readonly receivers: Receivers | undefined
  readonly only: readonly CheckId[]
  readonly tell: (progress: Progress) => void
  readonly say: (text: string) => void
}

/** The number of checks that run in parallel on frozen clocks, and on running clocks, where they mostly wait. */
const FROZEN_CONCURRENCY = 4
const REAL_CONCURRENCY = 12

export async function run(options: RunOptions): Promise<Certification> {
  const { profile, environment, only } = options
  const began = systemWall()
  const today = new Date(began).toISOString().slice(0, 10)
  const { ended } = environment
  const begun = await unlessAborted(ended, begin(options))
  const { common, standing, record, pays } = begun ?? uncalibrated(options)
  const records: WorldRecord[] = record ? [record] : []
  const results = new Map<CheckId, CheckResult>()
  const finish = (id: CheckId, finding: Finding | 'not_applicable', evidence: Evidence) => {
    const result = resultOf(id, finding, evidence, profile, today)
    results.set(id, result)
    options.tell({
      id,
      verdict: result.verdict,
      observed: result.observed,
      done: results.size,
      of: only.length,
    })
  }
  const active: CheckId[] = []
  for (const id of only) {
    const obstacle = begun
      ? obstacleTo(id, profile, standing, pays)
      : 'make' in definitions[id] && unsure('The run was stopped first.')
    if (obstacle) finish(id, obstacle, noEvidence())
    else if ('make' in definitions[id]) active.push(id)
  }
  const runOne = async (id: CheckId) => {
    if (ended.aborted) return finish(id, unsure('The run was stopped first.'), noEvidence())
    options.tell({ id, verdict: undefined, observed: '', done: results.size, of: only.length })
    const ran = await unlessAborted(ended, runCheck(id, definitions[id] as ActiveCheck, common, environment))
    if (!ran) return finish(id, unsure('The run was stopped during the check.'), noEvidence())
    const { finding, evidence, record } = ran
    if (record) records.push(record)
    finish(id, finding, evidence)
  }
  const at = (time: ActiveCheck['time']) =>
    active.filter((id) => (definitions[id] as ActiveCheck).time === time)
  if (profile.isolation === 'world')
    await Promise.all([
      runPooled(at('real'), REAL_CONCURRENCY, runOne),
      runPooled(at('frozen'), FROZEN_CONCURRENCY, runOne),
    ])
  else await runPooled([...at('frozen'), ...at('real')], 1, runOne)
  await runPooled(at('alone'), 1, runOne)
  for (const id of only)
    if (!results.has(id)) {
      const judging = systemWall()
      const finding = (definitions[id] as RecordCheck).judge(records, profile)
      finish(id, finding, { ...noEvidence(), duration_ms: systemWall() - judging })
    }
  const checks = withCauses(
    only.map((id) => results.get(id)!),
    common.isEager,
  )
  const finished = systemWall()
  return {
    certification: 1,
    subject: profile.profile,
    mode: 'active',
    sandbox: { version: environment.version, url: environment.url, world: null },
    started_at: new Date(began).toISOString(),
    ended_at: new Date(finished).toISOString(),
    duration_ms: finished - began,
    features: profile.features,
    probe: standing,
    summary: summaryOf(checks),
    checks,
  }
}

/** Creates the context of the run and calibrates the probe, if the profile has a probe and a trigger. */
async function begin(options: RunOptions): Promise<RunStart> {
  const { profile, environment, tell, only } = options
  const common = contextOf(options)
  const { pace, look } = common
  if (!profile.trigger && !profile.payout)
    return { ...uncalibrated(options), common: { ...common, look: undefined } }
  tell({ id: 'calibration', verdict: undefined, observed: '', done: 0, of: only.length })
  const place = await environment.openWorld('frozen')
  try {
    const run = CheckRun.open('calibration', common, place, 'frozen')
    if (!look) return { common, standing: null, record: undefined, pays: true }
    const { standing, pace: measured, isEager, pays } = await calibrate(run, pace)
    tell({
      id: 'calibration',
      verdict: standing.usable ? 'pass' : 'inconclusive',
      observed: standing.because,
      done: 0,
      of: only.length,
    })
    const record = await run.close()
    return {
      common: { ...common, pace: measured, isEager, look: standing.usable ? look : undefined },
      standing,
      record,
      pays,
    }
  } finally {
    await place.leave()
  }
}

interface RunStart {
  readonly common: RunContext
  readonly standing: ProbeStanding | null
  readonly record: WorldRecord | undefined
  /** Whether the shop took a payment. */
  readonly pays: boolean
}

/** The start of a run without a calibration. */
const uncalibrated = (options: RunOptions): RunStart => ({
  common: contextOf(options),
  standing: null,
  record: undefined,
  pays: true,
})

function contextOf({ profile, environment: { ended }, receivers, say }: RunOptions): RunContext {
  let orders = 0
  const access = { ask: requestSender(receivers ?? {}, ended), say, ended }
  const pace = patientPace(profile.client.patience)
  const look = profile.probe && lookBy(profile.probe, access, pace.hope)
  return { profile, access, run: systemUuid().slice(0, 6), next: () => ++orders, pace, isEager: false, look }
}

/** Returns the reason why a check cannot run, if any. */
function obstacleTo(
  id: CheckId,
  profile: Profile,
  probe: ProbeStanding | null,
  pays: boolean,
): Finding | 'not_applicable' | undefined {
  const { feature } = checkOf(id)
  if (feature !== undefined && !profile.features.includes(feature))
    return implied.includes(feature) && profile.features.some((each) => MOVING.includes(each))
      ? notSeen(
          `The profile does not list ${feature}, which every shop that moves money needs: add it to features.`,
        )
      : 'not_applicable'
  const how = definitions[id]
  if ('judge' in how) return undefined
  if (!pays) return unsure(probe!.because)
  const { trigger, payout, receiver, restart, reconcile } = profile
  for (const need of how.needs ?? []) {
    if (need === 'trigger' && !trigger)
      return notSeen('The profile has no trigger, so the shop makes no payment.')
    if (need === 'payout' && !payout)
      return notSeen('The profile has no payout, so the shop pays nothing out.')
    if (need === 'restart' && !restart)
      return notSeen('The profile does not describe how to restart the shop.')
    if (need === 'reconcile' && !reconcile)
      return notSeen('The profile does not describe how the shop reconciles.')
    if (need !== 'probe' && need !== 'counts') continue
    if (!probe) return notSeen('The profile has no probe, so the state of orders is not visible.')
    if (!probe.usable) return unsure(`The probe is unreliable. ${probe.because}`)
    if (need === 'counts' && !probe.counts)
      return notSeen('The probe does not count deliveries, so duplicates are not visible.')
  }
  if (!trigger && !payout && receiver.url === undefined)
    return notSeen('The profile has neither a trigger nor a receiver.')
  return undefined
}

/** Features of shops that move money. */
const MOVING: readonly Feature[] = ['collect', 'withdraw', 'global']

async function runCheck(id: CheckId, how: ActiveCheck, common: RunContext, environment: TestEnvironment) {
  const began = systemWall()
  const time = how.time === 'real' ? 'real' : 'frozen'
  let run: CheckRun | undefined
  let record: WorldRecord | undefined
  let finding: Finding
  try {
    const place = await environment.openWorld(time)
    try {
      run = CheckRun.open(id, common, place, time)
      finding = await how.make(run).catch(inconclusive)
      record = await run.close()
    } finally {
      await place.leave()
    }
  } catch (error) {
    finding = unsure(`The check could not run: ${error instanceof Error ? error.message : String(error)}`)
  }
  const duration_ms = systemWall() - began
  return { finding, record, evidence: run ? run.evidenceOf(duration_ms) : { ...noEvidence(), duration_ms } }
}

/** An unmet precondition or an error of certify is not a failure of the shop. */
function inconclusive(error: unknown): Finding {
  if (error instanceof InconclusiveError) return unsure(error.message)
  return unsure(`The check could not run: ${error instanceof Error ? error.message : String(error)}`)
}

async function runPooled<T>(
  all: readonly T[],
  concurrency: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, worker))
}

interface Calibration {
  readonly standing: ProbeStanding
  /** The measured pace of the shop. */
  readonly pace: Pace
  readonly isEager: boolean
  /** Whether the shop took a payment. Without one, no check can run. */
  readonly pays: boolean
}

/**
 * Makes a successful and a failed payment, and compares the probe's responses to those for an order that was never placed. A
 * shop that already considers a pending payment paid is at fault, not its probe.
 */
async function calibrate(run: CheckRun, patient: Pace): Promise<Calibration> {
  const useless = (because: string): Calibration => ({
    standing: { usable: false, counts: false, because },
    pace: patient,
    isEager: false,
    pays: true,
  })
  try {
    const paid = await firstPayment(run)
    const unplaced = await run.look!(`${paid.order}-never-placed`).catch(() => undefined)
    if (unplaced && !isUnpaid(unplaced))
      return useless(`For an order that was never placed, it returns ${standingText(unplaced)}.`)
    const before = await run.standing(paid)
    const isEager = !isUnpaid(before)
    run.evidence.step('The payment succeeds, and its callback is sent.')
    await run.endPayment(paid)
    const sent = await run.callbacks.send(paid, 'good')
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
    return { standing: { usable: true, counts, because }, pace, isEager, pays: true }
  } catch (error) {
    if (error instanceof InconclusiveError)
      return { ...useless(error.message), pays: !(error instanceof NoPaymentError) }
    throw error
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
