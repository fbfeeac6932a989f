/** Runs all checks: in parallel if each has its own world, and those that affect the whole shop in sequence. */
import { protectionTexts } from '../service/vocabulary/receiver-protection.ts'
import { later, systemWall } from '../lib/clock/clock.ts'
import { systemUuid } from '../lib/random/random.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { type Calibration, calibrate, uncalibrated } from './calibration.ts'
import type { Certification, CheckResult, ProbeStanding, Witness } from './certification.ts'
import type { CheckId } from './check-ids.ts'
import { type CheckRun, startCheck } from './check-run.ts'
import { checks as definitions } from './checks.ts'
import { type CheckDefinition, type Finding, notSeen, unsure } from './checks/check.ts'
import { timedAttempts } from './checks/receiver-manners.ts'
import { coverageOf } from './coverage.ts'
import type { TestEnvironment } from './environment.ts'
import type { Evidence } from './evidence.ts'
import { type CertificationPlan, hashOf } from './plans.ts'
import { lookBy, patientPace } from './probe.ts'
import { type Feature, implied, type Progress, type Receivers } from './profile.ts'
import type { Profile } from './read-profile.ts'
import type { RunContext } from './orders.ts'
import { noEvidence, resultOf, summaryOf, timesOf, withCauses } from './results.ts'
import { InconclusiveError, requestSender, type SendToShop } from './shop-access.ts'
import { unlessAborted } from './waiting.ts'
import type { WorldRecord } from './world-record.ts'

export interface RunOptions {
  readonly profile: Profile
  readonly environment: TestEnvironment
  readonly receivers?: Receivers | undefined
  /** Sends requests to the shop; by default over the network. */
  readonly ask?: SendToShop | undefined
  readonly only: readonly CheckId[]
  readonly plan: CertificationPlan | undefined
  readonly run?: number | undefined
  readonly tell: (progress: Progress) => void
  readonly say: (text: string) => void
}

/** The number of checks that run in parallel on frozen clocks, and on running clocks, where they mostly wait. */
const FROZEN_CONCURRENCY = 4
const REAL_CONCURRENCY = 12

/** The checks that measure time. A failed one is repeated if this machine stalled meanwhile. */
const TIMED: readonly CheckId[] = ['CLI-4', 'CLI-5', 'CLI-8', 'RCV-22']
const MOST_REPEATS = 2
/** Milliseconds of one stall, and the share of the time in stalls, that make a failure doubtful. */
const STALL = 500
const BUSY = 0.5

const STOPPED = unsure('The run was stopped first.')

export async function run(options: RunOptions): Promise<Certification> {
  const { profile, environment, only, plan } = options
  const began = systemWall()
  const today = new Date(began).toISOString().slice(0, 10)
  const { ended, stalls } = environment
  const common = contextOf(options)
  const records: WorldRecord[] = []
  const begun = await unlessAborted(ended, begin(options, common, records))
  const { standing, pace, isEager, pays, response } = begun ?? uncalibrated(common.pace)
  const hasTrigger = profile.trigger ?? profile.payout
  const context = { ...common, pace, isEager, look: hasTrigger && standing?.usable ? common.look : undefined }
  const results = new Map<CheckId, CheckResult>()
  const finish = (id: CheckId, finding: Finding, evidence: Evidence) => {
    const result = resultOf(id, finding, evidence, profile, today, plan)
    results.set(id, result)
    tell(id, result)
  }
  const active: CheckId[] = []
  let time = () => 0
  const tell = (id: CheckId, result?: CheckResult) =>
    options.tell({
      id,
      verdict: result?.verdict,
      observed: result?.observed ?? '',
      done: results.size,
      of: only.length,
      left_ms: time(),
    })
  for (const id of only) {
    const isActive = definitions[id].make !== undefined
    const obstacle = begun ? obstacleTo(id, profile, standing, pays) : isActive && STOPPED
    if (obstacle) finish(id, obstacle, noEvidence())
    else if (isActive) active.push(id)
  }
  time = timeLeft(active, results, profile, response)
  if (response >= SLOW)
    options.say(
      `The shop takes ${(response / 1_000).toFixed(1)} s per response, so the run takes about ${formatDuration(Math.ceil(time() / 10_000) * 10_000)}.`,
    )
  const attempt = (id: CheckId) => unlessAborted(ended, runCheck(id, context, environment))
  const runOne = async (id: CheckId) => {
    if (ended.aborted) return finish(id, STOPPED, noEvidence())
    tell(id)
    let since = systemWall()
    let ran = await attempt(id)
    // While this machine stalls, retries of a shop look premature, and its responses late.
    for (let n = 0; n < MOST_REPEATS && TIMED.includes(id) && ran?.finding.verdict === 'fail'; n++) {
      const now = systemWall()
      if (stalls.longest(since) <= STALL && stalls.total(since, now) < BUSY * (now - since)) break
      since = now
      ran = await attempt(id)
    }
    if (!ran) return finish(id, unsure('The run was stopped during the check.'), noEvidence())
    if (ran.record) records.push(ran.record)
    finish(id, ran.finding, ran.evidence)
  }
  const at = (clock: CheckDefinition['time']) => active.filter((id) => definitions[id].time === clock)
  if (profile.isolation === 'world')
    await Promise.all([
      runPooled(at('real'), REAL_CONCURRENCY, runOne),
      runPooled(at('frozen'), FROZEN_CONCURRENCY, runOne),
    ])
  else await runPooled([...at('frozen'), ...at('real')], 1, runOne)
  await runPooled(at('alone'), 1, runOne)
  for (const id of only.filter((each) => !results.has(each))) {
    const judging = systemWall()
    if (id === 'RCV-21') await repeatLate(records, profile, stalls, attempt)
    finish(id, definitions[id].judge!(records, profile), {
      ...noEvidence(),
      duration_ms: systemWall() - judging,
    })
  }
  const checks = withCauses(
    only.map((id) => mendedBy(records, results.get(id)!)),
    isEager,
  )
  const claimed = checks.filter(({ probe, verdict }) => probe && verdict === 'pass').map(({ id }) => id)
  const witness: Witness | null = options.run === undefined ? null : { run: options.run, claimed }
  return {
    certification: 1,
    subject: profile.profile,
    shop_version: profile.version,
    mode: 'active',
    sandbox: { version: environment.version, url: environment.url, world: null },
    plan: plan
      ? {
          name: plan.name,
          title: plan.title,
          hash: plan.hash,
          waivers: plan.waivers,
          checks: plan.levels.size,
        }
      : null,
    profile_hash: hashOf(profile.file),
    witness,
    ...timesOf(began, systemWall(), plan?.valid),
    features: profile.features,
    ...(profile.receiver.protection && { protection: protectionTexts(profile.receiver.protection) }),
    probe: standing,
    coverage: coverageOf(records),
    summary: summaryOf(checks, plan?.levels.size),
    checks,
  }
}

/**
 * Repeats the checks in which responses may have been late only because this machine stalled, one by one, and replaces their
 * records. The responses of a slow shop are late again.
 */
async function repeatLate(
  records: WorldRecord[],
  { receiver: { within } }: Profile,
  stalls: TestEnvironment['stalls'],
  repeat: (id: CheckId) => Promise<{ readonly record: WorldRecord | undefined } | undefined>,
): Promise<void> {
  const lateIn = (each: readonly WorldRecord[]) =>
    timedAttempts(each).flatMap(({ callback, attempt: { sent_at, duration_ms: took } }) => {
      const from = Date.parse(sent_at)
      return took > within ? [{ callback, took, stalled: stalls.total(from, from + took) }] : []
    })
  for (let n = 0; n < MOST_REPEATS; n++)
    for (const [at, record] of records.entries()) {
      const late = lateIn([record])
      if (late.length === 0) continue
      if (lateIn(records).some(({ took, stalled }) => took - stalled > within)) return
      // Other checks send the callbacks of the calibration, too.
      const callbacks = record.callbacks.filter((each) =>
        late.every(({ callback }) => callback !== each.callback),
      )
      const isRepeated = record.check !== 'calibration' && record.check !== null
      const again = isRepeated ? (await repeat(record.check))?.record : { ...record, callbacks }
      if (again) records[at] = again
    }
}

/** Chooses the fix of a failure by what other checks recorded, unless its own observation has one. */
const mendedBy = (records: readonly WorldRecord[], result: CheckResult): CheckResult => {
  const { fix, mendBy } = definitions[result.id]
  return result.verdict === 'fail' && result.fix === fix
    ? { ...result, fix: mendBy?.(records) ?? fix }
    : result
}

/** Milliseconds of a response from which on the run announces its duration. */
const SLOW = 500

/** How many responses of the shop a check waits for, and how long it takes otherwise, milliseconds. */
const RESPONSES = { frozen: 2, real: 2, alone: 3 }
const OTHERWISE = { frozen: 300, real: 6_000, alone: 2_000 }

/** Returns a function that estimates the rest of the run from the speed so far, milliseconds. */
function timeLeft(
  active: readonly CheckId[],
  results: ReadonlyMap<CheckId, CheckResult>,
  { isolation }: Profile,
  response: number,
) {
  const at =
    isolation === 'world' ? { frozen: FROZEN_CONCURRENCY, real: REAL_CONCURRENCY } : { frozen: 1, real: 1 }
  const costOf = (ids: readonly CheckId[]) =>
    ids.reduce((sum, id) => {
      const { time } = definitions[id]
      const cost = OTHERWISE[time] + RESPONSES[time] * response
      return sum + cost / (time === 'alone' ? 1 : at[time])
    }, 0)
  const began = systemWall()
  const whole = costOf(active)
  return () => {
    const left = costOf(active.filter((id) => !results.has(id)))
    const done = whole - left
    // The measured speed counts fully once half of the work is done.
    const trust = Math.min(1, (2 * done) / whole)
    const measured = done === 0 ? 1 : (systemWall() - began) / done
    return Math.round(left * (measured * trust + 1 - trust)) || 0
  }
}

/** Milliseconds after which a shop that does not respond is reported. */
const HANGS = 5_000

/** Calibrates the probe, if the profile has a probe and a trigger. */
async function begin(
  { profile, environment, tell, say, only }: RunOptions,
  common: RunContext,
  records: WorldRecord[],
): Promise<Calibration> {
  if (!profile.trigger && !profile.payout) return uncalibrated(common.pace)
  const told = { id: 'calibration', done: 0, of: only.length, left_ms: 0 } as const
  tell({ ...told, verdict: undefined, observed: '' })
  const place = await environment.openWorld('frozen')
  const stop = later(HANGS, () =>
    say(`The first payment of the shop has taken ${formatDuration(HANGS)} so far. Does the shop respond?`),
  )
  try {
    const run = startCheck('calibration', common, place, 'frozen')
    if (!common.look) return uncalibrated(common.pace)
    const found = await calibrate(run, common.pace, stop)
    const { usable, because } = found.standing!
    tell({ ...told, verdict: usable ? 'pass' : 'inconclusive', observed: because })
    records.push(await run.close())
    return found
  } finally {
    stop()
    await place.leave()
  }
}

function contextOf({ profile, environment: { ended }, receivers, ask, say }: RunOptions): RunContext {
  let orders = 0
  const access = { ask: requestSender(receivers ?? {}, ended, ask), say, ended }
  const pace = patientPace(profile.client.patience)
  const look = profile.probe && lookBy(profile.probe, access, pace.hope, profile.variables)
  return { profile, access, run: systemUuid().slice(0, 6), next: () => ++orders, pace, isEager: false, look }
}

const MISSING = {
  trigger: 'The profile has no trigger, so the shop makes no payment.',
  payout: 'The profile has no payout, so the shop pays nothing out.',
  restart: 'The profile does not describe how to restart the shop.',
  reconcile: 'The profile does not describe how the shop reconciles.',
} as const

/** Returns the reason why a check cannot run, if any. */
function obstacleTo(
  id: CheckId,
  profile: Profile,
  probe: ProbeStanding | null,
  pays: boolean,
): Finding | undefined {
  const { feature, needs, judge } = definitions[id]
  if (feature !== undefined && !profile.features.includes(feature))
    return implied.includes(feature) && profile.features.some((each) => MOVING.includes(each))
      ? notSeen(
          `The profile does not list ${feature}, which every shop that moves money needs: add it to features.`,
        )
      : { verdict: 'not_applicable', observed: 'The profile does not list the feature.' }
  if (judge) return undefined
  if (!pays) return unsure(probe!.because)
  for (const need of needs) {
    if (need !== 'probe' && need !== 'counts') {
      if (!profile[need]) return notSeen(MISSING[need])
      continue
    }
    if (!probe) return notSeen('The profile has no probe, so the state of orders is not visible.')
    if (!probe.usable) return unsure(`The probe is unreliable. ${probe.because}`)
    if (need === 'counts' && !probe.counts)
      return notSeen('The probe does not count deliveries, so duplicates are not visible.')
  }
  if (!profile.trigger && !profile.payout && profile.receiver.url === undefined)
    return notSeen('The profile has neither a trigger nor a receiver.')
  return undefined
}

const MOVING: readonly Feature[] = ['collect', 'withdraw', 'global']

async function runCheck(id: CheckId, common: RunContext, environment: TestEnvironment) {
  const { time, make } = definitions[id]
  const clock = time === 'real' ? 'real' : 'frozen'
  const began = systemWall()
  let run: CheckRun | undefined
  let record: WorldRecord | undefined
  let finding: Finding
  try {
    const place = await environment.openWorld(clock)
    try {
      run = startCheck(id, common, place, clock)
      finding = await make!(run).catch(inconclusive)
      record = { ...(await run.close()), stalled: environment.stalls.total }
    } finally {
      await place.leave()
    }
  } catch (error) {
    finding = inconclusive(error)
  }
  const duration_ms = systemWall() - began
  return { finding, record, evidence: run?.evidence.end(duration_ms) ?? { ...noEvidence(), duration_ms } }
}

/** An unmet precondition or an error of certify is not a failure of the shop. */
function inconclusive(error: unknown): Finding {
  const text = error instanceof Error ? error.message : String(error)
  return unsure(error instanceof InconclusiveError ? text : `The check could not run: ${text}`)
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
