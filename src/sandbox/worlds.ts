import { scryptSync } from 'node:crypto'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Config } from '../config/config.ts'
import { repeat } from '../lib/clock/after.ts'
import type { OnError } from '../lib/listeners.ts'
import type { Log } from '../lib/log/log.ts'
import { type Secrets, systemSecrets } from '../lib/random/random.ts'
import type { Base } from './base.ts'
import type { Mailer } from './jobs.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { WorldRows } from '../storage/store/change.ts'
import { Budget, type Limits, plannedLimits, type Plans } from '../worlds/budget.ts'
import { createGuestWorlds, type GuestWorlds } from '../worlds/guest-worlds.ts'
import { hashesKept, hashKeys, seedRows } from '../worlds/seeds.ts'
import { keepFor } from '../worlds/populate/draw.ts'
import { SETTINGS } from '../worlds/settings.ts'
import type { WorldsOptions } from '../worlds/cache.ts'
import { openWorlds, type Worlds } from '../worlds/registry.ts'
import { createSignUpLinks, type SignUpLinks } from '../worlds/sign-up-links.ts'

/** Opens the worlds of the engine. Also returns the initial rows of new worlds. */
export async function openConfiguredWorlds(
  base: Base,
  onError: OnError,
  heapGrowth: WorldsOptions['heapGrowth'],
): Promise<{ readonly worlds: Worlds; readonly rows: WorldRows }> {
  const { config, engine, initial, time, log } = base
  const { seed, home, defaults } = initial
  const hashes = await hashKeys(seed.api_keys, await hashesKept(engine.store, home))
  const hosted = config.mode === 'hosted'
  const secret = hosted ? config.adminToken! : undefined
  const rows = await initialRows(base, hashes, secret)
  const worlds = await openWorlds({
    engine,
    onError,
    wall: time.wall,
    newClock: time.newClock,
    seed: config.seed,
    secret,
    settings: defaults.current,
    home,
    rows,
    life: hosted ? systemSecrets : laterLife,
    requestLogSize: config.requestLogSize,
    most: config.maxWorlds,
    ttl: config.worldTtl,
    guestTtl: guestTtlOf(config, initial.plans),
    limitsOf: limitsOf(config, initial.plans),
    maxMemory: memoryLimit(config.maxMemory),
    heapGrowth,
    onSpent: budgetLog(log),
  })
  return { worlds, rows }
}

/** Returns the rows of the seed and its generated history, which all new worlds share. */
async function initialRows(
  { config, initial: { seed, home, defaults }, time }: Base,
  hashes: readonly string[],
  secret: string | undefined,
): Promise<WorldRows> {
  const at = time.begin()
  const rows = seedRows(seed, at, hashes)
  if (!seed.populate) return rows
  const { populated } = await import('../worlds/populate/populate.ts')
  const made = await populated(rows, seed.populate, {
    world: home,
    at,
    settings: defaults.current(),
    secret,
    requireRoom: (bytes) => new Budget(ownLimits(config), time.wall).require('rows', 0, bytes),
  })
  return { ...made, state: [{ name: SETTINGS, value: { retention: keepFor(seed.populate) } }] }
}

const budgetLog =
  (log: Log): WorldsOptions['onSpent'] =>
  (world, { name, used, limit, setting }, percent) =>
    log.warn('budget spent', { world, item: name, percent, used, limit, setting })

/** Worlds created before any was dropped have the same links in every run. */
const laterLife = (dropped: number) => (dropped === 0 ? undefined : String(dropped))

/** Milliseconds. */
const guestTtlOf =
  ({ readerTtl, signUpTtl }: Config, plans: Plans) =>
  (kind: string): number => {
    const [guest, plan = ''] = kind.split(' ')
    return guest === 'reader' ? readerTtl : (plans.get(plan)?.ttl ?? signUpTtl)
  }

export function openGuestWorlds(
  { config, engine, initial, time, log }: Base,
  worlds: Worlds,
  rows: WorldRows,
  secrets: Secrets,
): GuestWorlds {
  return createGuestWorlds({
    worlds,
    rows,
    secrets,
    wall: time.wall,
    counters: engine.counters,
    rules: {
      signUp: config.signUp,
      readers: config.readerWorlds === 'on',
      tokens: config.signUpTokens ?? [],
      plans: initial.plans,
      most: config.signUpWorlds,
      rate: config.signUpRate,
      addressRates: { 'sign-up': config.signUpAddressRate, reader: config.readerAddressRate },
      copies: config.signUpCopies,
      ttl: guestTtlOf(config, initial.plans),
    },
    onMade: (made) => log.info('world for a guest', made),
  })
}

/** Derives the key of links. Slow on purpose, because a recipient of a link could otherwise try passwords against its signature. */
const derivedKey = (adminToken: string | null, password: string) =>
  scryptSync(`${adminToken ?? ''}\0${password}`, 'sign-up links', 32).toString('base64url')

/** Opens sign-up by e-mail, if there is a mail server and an address for links. */
export function openSignUpLinks(
  { config, engine, initial, time, log }: Base,
  worlds: Worlds,
  guests: GuestWorlds,
  mailer: Mailer | undefined,
): SignUpLinks | undefined {
  const { publicUrl, signUp, signUpEmail, signUpSecret, adminToken, mailDomains } = config
  if (!mailer || publicUrl === null || signUp === 'off' || signUpEmail === 'off') return undefined
  return createSignUpLinks({
    guests,
    registry: engine.worlds,
    find: worlds.find,
    home: worlds.home,
    key: signUpSecret ?? derivedKey(adminToken, initial.seed.api_keys[0]!.password),
    publicUrl,
    required: signUpEmail === 'required',
    to: mailDomains ?? '*',
    send: mailer.send,
    // The message of the error contains the address.
    onUnsent: (error) => {
      const { code, responseCode } = error as { readonly code?: string; readonly responseCode?: number }
      log.warn('sign-up mail not sent', { code, response: responseCode })
    },
    counters: engine.counters,
    secrets: systemSecrets,
    wall: time.wall,
    most: { caller: config.signUpAddressRate, all: config.signUpRate },
  })
}

/** Returns the limits of the world with a template, by its plan. A plan that does not exist any more has no effect. */
function limitsOf(config: Config, plans: Plans): WorldsOptions['limitsOf'] {
  const own = ownLimits(config)
  const guest: Limits = {
    ...own,
    rows: Math.min(own.rows, config.signUpRows),
    inboxes: Math.min(own.inboxes, config.signUpRows),
    snapshots: Math.min(own.snapshots, config.signUpRows),
    requests: Math.min(own.requests, config.signUpRequests),
    callbacks: Math.min(own.callbacks, config.signUpCallbacks),
    settings: {
      rows: 'SANDBOX_SIGN_UP_ROWS',
      inboxes: 'SANDBOX_SIGN_UP_ROWS',
      snapshots: 'SANDBOX_SIGN_UP_ROWS',
      requests: 'SANDBOX_SIGN_UP_REQUESTS',
      callbacks: 'SANDBOX_SIGN_UP_CALLBACKS',
    },
    of: 'guest',
  }
  const planned = (base: Limits) =>
    new Map([...plans.values()].map((plan) => [plan.name, plannedLimits(base, plan)]))
  const [ofOwn, ofGuests] = [planned(own), planned(guest)]
  return (template) => {
    const plan = template?.plan ?? ''
    return template?.guest ? (ofGuests.get(plan) ?? guest) : (ofOwn.get(plan) ?? own)
  }
}

/** Returns SANDBOX_MAX_MEMORY in bytes. */
export const memoryLimit = (limit: Config['maxMemory']): number =>
  'share' in limit ? limit.share * getHeapStatistics().heap_size_limit : limit.bytes

const ownLimits = (config: Config): Limits => ({
  rows: config.worldRows,
  inboxes: config.worldInboxes,
  request_log: config.worldRequestLog,
  snapshots: config.worldSnapshots,
  snapshot_count: config.worldSnapshotCount,
  scenarios: config.worldScenarios,
  bodies: config.worldBodies,
  waiters: config.worldWaiters,
  streams: config.worldStreams,
  requests: config.worldRequests,
  inbox_requests: config.worldInboxRequests,
  callbacks: config.worldCallbacks,
  callbacks_per_day: config.worldCallbacksPerDay,
  mails: config.worldMails,
})

/** Returns a function that returns the growth of the heap since now, as of the last full garbage collection. */
export function followHeap(): () => number {
  const { heapUsed: before } = process.memoryUsage()
  let kept = before
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) kept = process.memoryUsage().heapUsed
  }).observe({ entryTypes: ['gc'] })
  return () => kept - before
}

const isFullCollection = (entry: PerformanceEntry) =>
  (entry as { readonly detail?: { readonly kind: number } }).detail?.kind ===
  constants.NODE_PERFORMANCE_GC_MAJOR

/** Milliseconds between two searches for idle worlds. Timers overflow after 24 days. */
const SWEEP_INTERVAL = { least: 1_000, most: 3_600_000 }

/** Drops worlds that were not called for their time to live. Returns a function that stops it. */
export function startSweeping(
  { config, engine: { lock }, initial: { plans }, time: { wall }, log }: Base,
  worlds: Worlds,
): () => void {
  const { worldTtl } = config
  const { least, most } = SWEEP_INTERVAL
  const ttls = [...plans.values()].map(({ ttl = Infinity }) => ttl)
  const every = Math.min(Math.max(Math.min(shortestTtl(config), ...ttls) / 10, least), most)
  const sweep = async () => {
    const dropped = await worlds.dropIdle(worldTtl)
    if (dropped.length > 0) log.info('idle worlds dropped', { count: dropped.length })
  }
  return repeat(every, () => {
    // Rounded, so that all processes use the same times although they started at different ones.
    lock
      .runOnce('sweep', Math.floor(wall() / every) * every, sweep)
      .catch((error: unknown) => log.error('idle worlds not dropped', { message: String(error) }))
  })
}

const shortestTtl = ({ worldTtl, signUp, signUpTtl, readerWorlds, readerTtl }: Config): number =>
  Math.min(worldTtl, signUp === 'off' ? Infinity : signUpTtl, readerWorlds === 'on' ? readerTtl : Infinity)

/** Milliseconds between two searches for worlds to close. */
const CLOSE_INTERVAL = { least: 100, most: 10_000 }
/** Closes unused worlds regularly. Returns a function that stops it. */
export function startClosing(
  { config: { worldIdle, openWorlds } }: Base,
  worlds: Worlds,
  { isIdle, forget }: Pick<Scheduler, 'isIdle' | 'forget'>,
): () => void {
  const { least, most } = CLOSE_INTERVAL
  return repeat(Math.min(Math.max(worldIdle / 10, least), most), () => {
    for (const name of worlds.closeUnused(worldIdle, openWorlds, isIdle)) forget(name)
  })
}
