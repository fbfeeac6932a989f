/** Witnessed runs of certify: the sandbox itself sends the faults, keeps the record and signs the result. */
import type { Certification } from '../certify/certification.ts'
import type { CertificationPlan } from '../certify/plans.ts'
import type { ProfileFile } from '../certify/profile.ts'
import type { Profile } from '../certify/read-profile.ts'
import type { SendToShop } from '../certify/shop-access.ts'
import type {
  CertificationPlan as PlanView,
  CertificationRun,
  StartCertificationRun,
} from '../generated/control/types.ts'
import { later, pause } from '../lib/clock/clock.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { invalid, noneLeft, notFound, RateLimited, ServiceError } from '../service/domain/errors.ts'
import { exactOrNull, exactTime } from '../service/domain/wire-time.ts'
import { CERTIFICATION_RUNS } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'
import { keep, rowOf } from './certification.ts'
import type { Certifying, ControlDependencies } from './dependencies.ts'
import { handlers, ok } from './page.ts'

/** A run as its world stores it. Times are milliseconds. */
interface StoredRun extends Omit<CertificationRun, 'started_at' | 'ended_at'> {
  readonly started_at: number
  readonly ended_at: number | null
  /** The last sign of life of the process that executes it. */
  readonly beat_at: number
}

/** Maximum number of runs of a world per day, which is also how many it keeps. */
const MOST_A_DAY = 50
const DAY = 86_400_000
/** Maximum number of concurrent runs of the process. */
const MOST_AT_ONCE = 4
/** Maximum milliseconds of a run, and between two signs of life. */
const LONGEST = 3_600_000
const BEAT = 2_000
const LOST_AFTER = 60_000
const MOST_NOTES = 20

const PROCESS_ENDED = 'The process that executed the run has ended.'

export const certificationRuns = handlers((dependencies) => {
  const { certifying, wall } = dependencies
  /** The runs of this process, by world. */
  const running = new Map<string, { readonly id: number; readonly controller: AbortController }>()
  const seen = (run: StoredRun, world: World): StoredRun => {
    const isLost = run.state === 'running' && !running.has(world.name) && wall() - run.beat_at > LOST_AFTER
    return isLost ? { ...run, state: 'failed', text: PROCESS_ENDED, left_ms: null, running: [] } : run
  }
  const found = async (world: World, id: number) => {
    const run = (await runsOf(world)).find((each) => each.id === id)
    if (!run) throw notFound('run', id)
    return seen(run, world)
  }
  return {
    async listCertificationPlans() {
      const plans = await certifying.plans()
      return ok({ required: [...certifying.required], plans: [...plans.values()].map(planView) })
    },

    async startCertificationRun(call) {
      const { world, origin, request } = call
      const { only } = request.body
      const { run, profile, plan, of } = await prepared(certifying, request.body)
      const user = userIn(call.header('authorization'))
      const now = wall()
      if (running.size >= MOST_AT_ONCE)
        throw new RateLimited(`this sandbox executes ${running.size} runs already`, 60)
      const stored = await world.change((tx): StoredRun => {
        const before = runsIn(tx.rows.get('state', CERTIFICATION_RUNS)?.value)
        const current = before.find((each) => seen(each, world).state === 'running')
        if (current)
          throw new ServiceError(
            'resource_exhausted',
            `the run ${current.id} of this world has not ended; wait for it, or stop it with DELETE /sandbox/certifications/runs/${current.id}`,
          )
        if (before.filter(({ started_at }) => started_at > now - DAY).length >= MOST_A_DAY)
          throw new RateLimited(`more than ${MOST_A_DAY} runs of this world a day`, 3_600)
        const begun: StoredRun = {
          id: (before[0]?.id ?? 0) + 1,
          subject: profile.profile,
          plan: plan?.name ?? null,
          state: 'running',
          done: 0,
          of,
          running: [],
          left_ms: null,
          notes: [],
          started_at: now,
          beat_at: now,
          ended_at: null,
          report: null,
          standing: null,
          text: null,
        }
        tx.rows.put('state', { name: CERTIFICATION_RUNS, value: [begun, ...before].slice(0, MOST_A_DAY) })
        return begun
      })
      const controller = new AbortController()
      running.set(world.name, { id: stored.id, controller })
      void execute(dependencies, {
        world,
        stored,
        controller,
        origin,
        plan,
        run,
        profile: { ...profile, user },
        only,
      })
        .catch(() => {})
        .finally(() => running.delete(world.name))
      return { status: 202, body: view(stored) }
    },

    async getCertificationRun({ world, request }) {
      return ok(view(await found(world, request.path.id)))
    },

    async stopCertificationRun({ world, request }) {
      const run = await found(world, request.path.id)
      if (run.state !== 'running') return ok(view(run))
      const own = running.get(world.name)
      if (own?.id === run.id) own.controller.abort()
      const stopped: Partial<StoredRun> = { state: 'stopped', ended_at: wall(), left_ms: null, running: [] }
      return ok(view((await save(world, run.id, stopped)) ?? run))
    },
  }
})

/** @throws ServiceError 400 with every error of the profile, and for a plan that it contradicts */
async function prepared(
  { plans, required, checkShop }: Certifying,
  { only, plan: name, profile: file, variables = {}, ...rest }: StartCertificationRun,
) {
  noneLeft(rest)
  if (required.length > 0 && (name === undefined || !required.includes(name)))
    throw invalid(
      `plan must be ${required.join(' or ')}, which this sandbox requires; got ${name === undefined ? 'none' : `"${name}"`}`,
    )
  const [run, { planNamed, requirePlanned }, { checkIds }] = await Promise.all([
    import('../certify/certify.ts'),
    import('../certify/plans.ts'),
    import('../certify/check-ids.ts'),
  ])
  try {
    const plan = name === undefined ? undefined : planNamed(name, await plans())
    const profile = run.profileOfOptions(file as unknown as ProfileFile, variables)
    requireWebOnly(profile, checkShop)
    if (plan) requirePlanned(profile, plan)
    const of = run.checksNamed(only, plan ? [...plan.levels.keys()] : checkIds).length
    return { run, profile, plan, of }
  } catch (error) {
    throw error instanceof run.ProfileError ? invalid(error.message) : error
  }
}

/** @throws ServiceError 400 for actions that a sandbox cannot perform, and for addresses that it does not call */
function requireWebOnly(profile: Profile, checkShop: Certifying['checkShop']): void {
  const actions = ['trigger', 'payout', 'probe', 'restart', 'rotate', 'reconcile'] as const
  for (const name of actions) {
    const action: object | undefined = profile[name]
    if (action && !('http' in action))
      throw invalid(
        `profile.${name} must be http: a sandbox runs no commands and waits for no person; got ${Object.keys(action)[0]}`,
      )
    const { url } = (action?.http ?? { url: undefined }) as { readonly url?: string }
    if (url !== undefined && !url.includes('${') && isUrl(url))
      requireReachable(`profile.${name}`, url, checkShop)
  }
  const { url } = profile.receiver
  if (url !== undefined && isUrl(url)) requireReachable('profile.receiver', url, checkShop)
}

function requireReachable(field: string, url: string, checkShop: Certifying['checkShop']): void {
  try {
    checkShop(url)
  } catch (error) {
    throw invalid(`${field}: ${(error as Error).message}`)
  }
}

/** Returns the credentials of the caller, with which the run uses the sandbox. */
function userIn(authorization: string | undefined) {
  const [username = '', ...password] = Buffer.from((authorization ?? '').replace(/^Basic +/i, ''), 'base64')
    .toString()
    .split(':')
  return { username, password: password.join(':') }
}

interface Execution {
  readonly world: World
  readonly stored: StoredRun
  readonly controller: AbortController
  readonly origin: string
  readonly plan: CertificationPlan | undefined
  readonly profile: Profile
  readonly only: readonly string[] | undefined
  readonly run: typeof import('../certify/certify.ts')
}

async function execute(
  { certifying, reportKey, wall, worlds, version }: ControlDependencies,
  { world: begun, stored, controller, origin, plan, profile, only, run }: Execution,
): Promise<void> {
  const { id } = stored
  const { signal } = controller
  // The world is replaced when its lease restores it, and gone when it is deleted, which ends the run.
  const current = async () => {
    const world = await worlds.find(begun.name)
    if (world && (await runsOf(world)).some((each) => each.id === id)) return world
    controller.abort()
    throw new Error(`the world ${begun.name} is gone`)
  }
  const now: { -readonly [Name in keyof StoredRun]?: StoredRun[Name] } = {}
  const active = new Set<string>()
  const notes: string[] = []
  let saving = Promise.resolve()
  const beat = (patch: Partial<StoredRun> = {}) => {
    const change = { ...now, running: [...active], notes: [...notes], beat_at: wall(), ...patch }
    saving = saving
      .then(async () => {
        // Another process may have stopped the run.
        if (!(await save(await current(), id, change))) controller.abort()
      })
      .catch(() => {})
    return saving
  }
  let stop = () => {}
  const beats = () => {
    void beat()
    stop = later(BEAT, beats)
  }
  beats()
  const stopLate = later(LONGEST, () => controller.abort())
  try {
    const certification = await run.certifyProfile(profile, {
      only,
      plan,
      run: id,
      signal,
      within: {
        url: origin,
        version,
        send: (request) => current().then(() => patiently(request, certifying.within)),
      },
      ask: shopOf(certifying, begun),
      say: (text) => void (notes.length < MOST_NOTES && notes.push(text)),
      tell({ id: check, verdict, done, of, left_ms }) {
        if (verdict === undefined) active.add(check)
        else active.delete(check)
        Object.assign(now, { done, of, left_ms })
      },
    })
    stop()
    active.clear()
    await saving
    if (signal.aborted) return void (await beat({ state: 'stopped', left_ms: null, ended_at: wall() }))
    const report = forReport(certification)
    const { standing, text } = report.summary
    const row = await (await current()).change((tx) => keep(tx, rowOf(report, reportKey)))
    await beat({ state: 'finished', left_ms: null, ended_at: wall(), report: row.id, standing, text })
  } catch (error) {
    stop()
    active.clear()
    const text = (error as Error).message.slice(0, 1_000)
    await beat({ state: signal.aborted ? 'stopped' : 'failed', left_ms: null, ended_at: wall(), text })
  } finally {
    stopLate()
  }
}

/** Sends a request to the sandbox, again if the world's rate limit postpones it. */
async function patiently(request: Request, send: Certifying['within']): Promise<Response> {
  for (let tried = 0; ; tried++) {
    const response = await send(request.clone())
    const wait = Number(response.headers.get('retry-after'))
    if (response.status !== 429 || !(wait > 0 && wait <= 60) || tried >= 5) return response
    await pause(wait * 1_000, request.signal)
  }
}

/** The first bytes of a response that the transport keeps. */
const KEPT = 4_096

const shopOf =
  ({ toShop }: Certifying, world: World): SendToShop =>
  async ({ method, url, headers = {}, body = '', limit, tls }, signal) => {
    const aborted = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined))
    })
    const sent = await Promise.race([toShop(world, { method, url, headers, body, limit, tls }), aborted])
    if (sent?.status === null || sent?.status === undefined)
      return { error: sent?.error ?? 'the run was stopped' }
    const { status, headers: answered = {}, body: text = '' } = sent
    const isCut = Buffer.byteLength(text) >= KEPT
    return { response: { status, headers: Object.entries(answered), text: isCut ? `${text}…` : text } }
  }

/** Maximum number of exchanges per check in a report, of characters in their bodies, and in the whole report. */
const MOST_EXCHANGES = 2
const MOST_BODY = 500
const MOST_TEXT = 280_000

/** Shortens the evidence: a report contains the deciding exchanges only. */
function forReport(certification: Certification): Certification {
  const cut = (text: string) => (text.length > MOST_BODY ? `${text.slice(0, MOST_BODY)}…` : text)
  const checks = certification.checks.map((check) => ({
    ...check,
    timeline: [],
    exchanges: check.exchanges.slice(0, MOST_EXCHANGES).map(({ request, response, ...each }) => ({
      ...each,
      request: { ...request, body: cut(request.body) },
      response: response && { ...response, body: cut(response.body) },
    })),
  }))
  const report = { ...certification, checks }
  return JSON.stringify(report).length <= MOST_TEXT
    ? report
    : { ...report, checks: checks.map((each) => ({ ...each, exchanges: [] })) }
}

const runsIn = (value: unknown) => (value ?? []) as readonly StoredRun[]

const runsOf = (world: World) =>
  world.read(({ rows }) => runsIn(rows.get('state', CERTIFICATION_RUNS)?.value))

/** Changes a running run. @returns the run, or undefined if it does not run */
const save = (world: World, id: number, patch: Partial<StoredRun>) =>
  world.change((tx) => {
    const runs = runsIn(tx.rows.get('state', CERTIFICATION_RUNS)?.value)
    const run = runs.find((each) => each.id === id)
    if (run?.state !== 'running') return undefined
    const changed = { ...run, ...patch }
    tx.rows.put('state', {
      name: CERTIFICATION_RUNS,
      value: runs.map((each) => (each.id === id ? changed : each)),
    })
    return changed
  })

function view({ started_at, ended_at, ...stored }: StoredRun): CertificationRun {
  const { beat_at: _, ...run } = stored
  return { ...run, started_at: exactTime(started_at), ended_at: exactOrNull(ended_at) }
}

function planView({ name, title, features, levels, valid, waivers, hash }: CertificationPlan): PlanView {
  const of = (level: 'mandatory' | 'recommended') =>
    [...levels].filter(([, each]) => each === level).map(([id]) => id)
  return {
    name,
    title,
    features: [...features],
    mandatory: of('mandatory'),
    recommended: of('recommended'),
    valid_days: Math.round(valid / DAY),
    waivers,
    hash,
  }
}
