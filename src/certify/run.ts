/** Tries all checks: those on frozen clocks and by the shop's clock side by side where the shop can take it, the others alone. */
import { systemWall } from '../lib/clock/clock.ts'
import { systemUuid } from '../lib/random/random.ts'
import { calibrate } from './calibrate.ts'
import type { Certification, CheckResult, ProbeStanding } from './certification.ts'
import { type CheckId, checkOf } from './checks.ts'
import type { RunContext } from './context.ts'
import type { Ground } from './ground.ts'
import type { Story } from './notes.ts'
import { unlessAborted } from './pause.ts'
import { lookBy, patientPace } from './probe.ts'
import type { Profile, Receivers } from './profile.ts'
import type { Progress } from './options.ts'
import { resultOf, untold } from './result.ts'
import type { Scene } from './scene.ts'
import { asker } from './send.ts'
import { Stage } from './stage.ts'
import { summaryOf } from './summary.ts'
import { tries } from './tries.ts'
import { type Finding, type RecordCheck, type ActiveCheck, notSeen, unsure } from './tries/try.ts'
import { Undecided } from './undecided.ts'

export interface RunOptions {
  readonly profile: Profile
  readonly ground: Ground
  readonly receivers: Receivers | undefined
  readonly only: readonly CheckId[]
  readonly tell: (progress: Progress) => void
  readonly say: (text: string) => void
}

/** So many checks are tried side by side, each in a world of its own; beside them so many that mostly wait for the shop. */
const SIDE_BY_SIDE = 4
const WAITING_SIDE_BY_SIDE = 12

export async function run(options: RunOptions): Promise<Certification> {
  const { profile, ground, only } = options
  const began = systemWall()
  const { ended } = ground
  const begun = await unlessAborted(ended, begin(options))
  const { common, standing, scene, pays } = begun ?? unbegun(options)
  const scenes: Scene[] = scene ? [scene] : []
  const results = new Map<CheckId, CheckResult>()
  const finish = (id: CheckId, finding: Finding | 'not_applicable', story: Story) => {
    const result = resultOf(id, finding, story, profile)
    results.set(id, result)
    options.tell({ id, verdict: result.verdict, seen: result.seen, done: results.size, of: only.length })
  }
  const made: CheckId[] = []
  for (const id of only) {
    const hindered = begun
      ? hindrance(id, profile, standing, pays)
      : 'make' in tries[id] && unsure('It was ended before.')
    if (hindered) finish(id, hindered, untold())
    else if ('make' in tries[id]) made.push(id)
  }
  const tryOne = async (id: CheckId) => {
    if (ended.aborted) return finish(id, unsure('It was ended before.'), untold())
    options.tell({ id, verdict: undefined, seen: '', done: results.size, of: only.length })
    const tried = await unlessAborted(ended, tryCheck(id, tries[id] as ActiveCheck, common, ground))
    if (!tried) return finish(id, unsure('It was ended before it was over.'), untold())
    const { finding, story, scene } = tried
    if (scene) scenes.push(scene)
    finish(id, finding, story)
  }
  const at = (time: ActiveCheck['time']) => made.filter((id) => (tries[id] as ActiveCheck).time === time)
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
      const finding = (tries[id] as RecordCheck).judge(scenes, profile)
      finish(id, finding, { ...untold(), duration_ms: systemWall() - judging })
    }
  const checks = only.map((id) => results.get(id)!)
  const over = systemWall()
  return {
    certification: 1,
    subject: profile.profile,
    mode: 'active',
    sandbox: { version: ground.version, url: ground.url, world: null },
    started_at: new Date(began).toISOString(),
    ended_at: new Date(over).toISOString(),
    duration_ms: over - began,
    features: profile.features,
    probe: standing,
    summary: summaryOf(checks),
    checks,
  }
}

/** What all share; with a probe and a trigger, after an ordinary payment that shows whether it can be believed. */
async function begin(options: RunOptions): Promise<Begun> {
  const { profile, ground, tell, only } = options
  const common = contextOf(options)
  const { pace, look } = common
  if (!profile.trigger) return { ...unbegun(options), common: { ...common, look: undefined } }
  tell({ id: 'calibration', verdict: undefined, seen: '', done: 0, of: only.length })
  const place = await ground.place('frozen')
  try {
    const stage = await Stage.open('calibration', common, place, 'frozen')
    if (!look) return { common, standing: null, scene: undefined, pays: true }
    const { standing, pace: measured, pays } = await calibrate(stage, pace)
    tell({
      id: 'calibration',
      verdict: standing.usable ? 'pass' : 'inconclusive',
      seen: standing.because,
      done: 0,
      of: only.length,
    })
    const scene = await stage.close()
    return {
      common: { ...common, pace: measured, look: standing.usable ? look : undefined },
      standing,
      scene,
      pays,
    }
  } finally {
    await place.leave()
  }
}

interface Begun {
  readonly common: RunContext
  readonly standing: ProbeStanding | null
  readonly scene: Scene | undefined
  /** Whether the shop took any payment. */
  readonly pays: boolean
}

/** Where no ordinary payment was tried first. */
const unbegun = (options: RunOptions): Begun => ({
  common: contextOf(options),
  standing: null,
  scene: undefined,
  pays: true,
})

function contextOf({ profile, ground: { ended }, receivers, say }: RunOptions): RunContext {
  let orders = 0
  const hands = { ask: asker(receivers ?? {}, ended), say, ended }
  const pace = patientPace(profile.client.patience)
  const look = profile.probe && lookBy(profile.probe, hands, pace.hope)
  return { profile, hands, run: systemUuid().slice(0, 6), next: () => ++orders, pace, look }
}

/** What stands in a check's way before it is tried. */
function hindrance(
  id: CheckId,
  profile: Profile,
  probe: ProbeStanding | null,
  pays: boolean,
): Finding | 'not_applicable' | undefined {
  const { feature } = checkOf(id)
  if (feature !== undefined && !profile.features.includes(feature)) return 'not_applicable'
  const how = tries[id]
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

async function tryCheck(id: CheckId, how: ActiveCheck, common: RunContext, ground: Ground) {
  const began = systemWall()
  const time = how.time === 'real' ? 'real' : 'frozen'
  let stage: Stage | undefined
  let scene: Scene | undefined
  let finding: Finding
  try {
    const place = await ground.place(time)
    try {
      stage = await Stage.open(id, common, place, time)
      finding = await how.make(stage).catch(undecided)
      scene = await stage.close()
    } finally {
      await place.leave()
    }
  } catch (error) {
    finding = unsure(`It could not be tried: ${error instanceof Error ? error.message : String(error)}`)
  }
  const duration_ms = systemWall() - began
  return { finding, scene, story: stage ? stage.story(duration_ms) : { ...untold(), duration_ms } }
}

/** What a check stands on did not hold, or something broke on the way: neither is the shop's failure. */
function undecided(error: unknown): Finding {
  if (error instanceof Undecided) return unsure(error.message)
  return unsure(`It could not be tried: ${error instanceof Error ? error.message : String(error)}`)
}

async function together<T>(all: readonly T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, worker))
}
