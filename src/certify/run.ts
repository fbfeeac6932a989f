/** Runs all checks: in parallel if each has its own world, and those that affect the whole shop in sequence. */
import { systemWall } from '../lib/clock/clock.ts'
import { systemUuid } from '../lib/random/random.ts'
import type { Certification, CheckResult, ProbeStanding } from './certification.ts'
import type { CheckId } from './check-ids.ts'
import { CheckRun } from './check-run.ts'
import { checkOf, checks as definitions } from './checks.ts'
import { type ActiveCheck, type Finding, notSeen, type RecordCheck, unsure } from './checks/check.ts'
import { pendingPayment } from './checks/steps.ts'
import type { RunContext } from './context.ts'
import type { TestEnvironment } from './environment.ts'
import type { Evidence } from './evidence.ts'
import { InconclusiveError, NoPaymentError } from './inconclusive.ts'
import type { Progress } from './options.ts'
import type { PaidOrder } from './orders.ts'
import { lookBy, type Pace, patientPace, standingText } from './probe.ts'
import type { Profile, Receivers } from './profile.ts'
import { noEvidence, resultOf, summaryOf } from './results.ts'
import { requestSender } from './shop-access.ts'
import { pause, unlessAborted } from './waiting.ts'
import type { WorldRecord } from './world-record.ts'

interface RunOptions {
  readonly profile: Profile
  readonly environment: TestEnvironment
  readonly receivers: Receivers | undefined
  readonly only: readonly CheckId[]
  readonly tell: (progress: Progress) => void
  readonly say: (text: string) => void
}

/** How many checks run in parallel: on frozen clocks, and of those that mostly wait for the shop. */
const SIDE_BY_SIDE = 4
const WAITING_SIDE_BY_SIDE = 12

export async function run(options: RunOptions): Promise<Certification> {
  const { profile, environment, only } = options
  const began = systemWall()
  const { ended } = environment
  const begun = await unlessAborted(ended, begin(options))
  const { common, standing, record, pays } = begun ?? unbegun(options)
  const records: WorldRecord[] = record ? [record] : []
  const results = new Map<CheckId, CheckResult>()
  const finish = (id: CheckId, finding: Finding | 'not_applicable', evidence: Evidence) => {
    const result = resultOf(id, finding, evidence, profile)
    results.set(id, result)
    options.tell({ id, verdict: result.verdict, seen: result.seen, done: results.size, of: only.length })
  }
  const made: CheckId[] = []
  for (const id of only) {
    const hindered = begun
      ? hindrance(id, profile, standing, pays)
      : 'make' in definitions[id] && unsure('It was ended before.')
    if (hindered) finish(id, hindered, noEvidence())
    else if ('make' in definitions[id]) made.push(id)
  }
  const tryOne = async (id: CheckId) => {
    if (ended.aborted) return finish(id, unsure('It was ended before.'), noEvidence())
    options.tell({ id, verdict: undefined, seen: '', done: results.size, of: only.length })
    const tried = await unlessAborted(
      ended,
      tryCheck(id, definitions[id] as ActiveCheck, common, environment),
    )
    if (!tried) return finish(id, unsure('It was ended before it was over.'), noEvidence())
    const { finding, evidence, record } = tried
    if (record) records.push(record)
    finish(id, finding, evidence)
  }
  const at = (time: ActiveCheck['time']) =>
    made.filter((id) => (definitions[id] as ActiveCheck).time === time)
  if (profile.isolation === 'world')
    await Promise.all([
      together(at('real'), WAITING_SIDE_BY_SIDE, tryOne),
      together(at('frozen'), SIDE_BY_SIDE, tryOne),
    ])
  else await together([...at('frozen'), ...at('real')], 1, tryOne)
  await together(at('alone'), 1, tryOne)
  for (const id of only)
    if (!results.has(id)) {
      const judging = systemWall()
      const finding = (definitions[id] as RecordCheck).judge(records, profile)
      finish(id, finding, { ...noEvidence(), duration_ms: systemWall() - judging })
    }
  const checks = only.map((id) => results.get(id)!)
  const over = systemWall()
  return {
    certification: 1,
    subject: profile.profile,
    mode: 'active',
    sandbox: { version: environment.version, url: environment.url, world: null },
    started_at: new Date(began).toISOString(),
    ended_at: new Date(over).toISOString(),
    duration_ms: over - began,
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
  if (!profile.trigger) return { ...unbegun(options), common: { ...common, look: undefined } }
  tell({ id: 'calibration', verdict: undefined, seen: '', done: 0, of: only.length })
  const place = await environment.openWorld('frozen')
  try {
    const run = await CheckRun.open('calibration', common, place, 'frozen')
    if (!look) return { common, standing: null, record: undefined, pays: true }
    const { standing, pace: measured, pays } = await calibrate(run, pace)
    tell({
      id: 'calibration',
      verdict: standing.usable ? 'pass' : 'inconclusive',
      seen: standing.because,
      done: 0,
      of: only.length,
    })
    const record = await run.close()
    return {
      common: { ...common, pace: measured, look: standing.usable ? look : undefined },
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
const unbegun = (options: RunOptions): RunStart => ({
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
  return { profile, access, run: systemUuid().slice(0, 6), next: () => ++orders, pace, look }
}

/** Returns the reason why a check cannot run, if any. */
function hindrance(
  id: CheckId,
  profile: Profile,
  probe: ProbeStanding | null,
  pays: boolean,
): Finding | 'not_applicable' | undefined {
  const { feature } = checkOf(id)
  if (feature !== undefined && !profile.features.includes(feature)) return 'not_applicable'
  const how = definitions[id]
  if ('judge' in how) return undefined
  if (!pays) return unsure(probe!.because)
  const { trigger, receiver, restart, reconcile } = profile
  for (const need of how.needs ?? []) {
    if (need === 'trigger' && !trigger)
      return notSeen('The profile has no trigger: no payment of the shop can be made.')
    if (need === 'restart' && !restart) return notSeen('The profile does not say how the shop is restarted.')
    if (need === 'reconcile' && !reconcile)
      return notSeen('The profile does not say how the shop reconciles.')
    if (need !== 'probe' && need !== 'counts') continue
    if (!probe) return notSeen('The profile has no probe: what the shop believes is not seen.')
    if (!probe.usable) return unsure(`The probe cannot be believed. ${probe.because}`)
    if (need === 'counts' && !probe.counts)
      return notSeen('The probe does not count deliveries: one too many is not seen.')
  }
  if (!trigger && receiver.url === undefined)
    return notSeen('The profile has neither a trigger nor a receiver.')
  return undefined
}

async function tryCheck(id: CheckId, how: ActiveCheck, common: RunContext, environment: TestEnvironment) {
  const began = systemWall()
  const time = how.time === 'real' ? 'real' : 'frozen'
  let run: CheckRun | undefined
  let record: WorldRecord | undefined
  let finding: Finding
  try {
    const place = await environment.openWorld(time)
    try {
      run = await CheckRun.open(id, common, place, time)
      finding = await how.make(run).catch(inconclusive)
      record = await run.close()
    } finally {
      await place.leave()
    }
  } catch (error) {
    finding = unsure(`It could not be tried: ${error instanceof Error ? error.message : String(error)}`)
  }
  const duration_ms = systemWall() - began
  return { finding, record, evidence: run ? run.evidenceOf(duration_ms) : { ...noEvidence(), duration_ms } }
}

/** An unmet precondition or an error of certify is not a failure of the shop. */
function inconclusive(error: unknown): Finding {
  if (error instanceof InconclusiveError) return unsure(error.message)
  return unsure(`It could not be tried: ${error instanceof Error ? error.message : String(error)}`)
}

async function together<T>(all: readonly T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, worker))
}

interface Calibration {
  readonly standing: ProbeStanding
  /** The measured pace of the shop. */
  readonly pace: Pace
  /** Whether the shop took a payment. Without one, no check can run. */
  readonly pays: boolean
}

/** @param run whose probe is the one to be tried */
async function calibrate(run: CheckRun, patient: Pace): Promise<Calibration> {
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

/** Milliseconds for the start of a shop that starts together with certify, such as in a pipeline. */
const START_LIMIT = 10_000

/** Takes the first payment as soon as the shop listens. */
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
