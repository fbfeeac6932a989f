import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Config } from '../config/config.ts'
import type { OnError } from '../lib/listeners.ts'
import type { Log } from '../lib/log/log.ts'
import { type Secrets, systemSecrets } from '../lib/random/random.ts'
import type { Beginning } from './initial-state.ts'
import type { Time } from './time.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { Budget, type Limits } from '../worlds/budget.ts'
import { GuestWorlds } from '../worlds/guest-worlds.ts'
import { hashesKept, hashKeys, seedRows } from '../worlds/seeds.ts'
import { keepFor } from '../worlds/populate/draw.ts'
import { type Guest, SETTINGS } from '../worlds/settings.ts'
import { openWorlds, type Worlds, type WorldsOptions } from '../worlds/registry.ts'

/** What worlds are opened with. */
interface WorldParts {
  readonly config: Config
  readonly engine: Engine
  readonly beginning: Beginning
  readonly time: Time
  readonly onError: OnError
  readonly log: Log
  readonly heapGrowth: WorldsOptions['heapGrowth']
}

/** The worlds that the engine has, and the rows that every new one begins with. */
export async function openConfiguredWorlds(
  parts: WorldParts,
): Promise<{ readonly worlds: Worlds; readonly rows: WorldRows }> {
  const { config, engine, beginning, time, onError, log } = parts
  const { seed, home, defaults } = beginning
  const hashes = await hashKeys(seed.api_keys, await hashesKept(engine.store, home))
  const hosted = config.mode === 'hosted'
  const secret = hosted ? config.adminToken! : undefined
  const rows = await firstRowsOf(parts, hashes, secret)
  const worlds = await openWorlds({
    engine,
    onError,
    wall: time.wall,
    newClock: time.newClock,
    seed: config.seed,
    secret,
    settings: () => defaults.current,
    home,
    rows,
    life: hosted ? systemSecrets : laterLife,
    journalSize: config.journalSize,
    most: config.maxWorlds,
    ttl: config.worldTtl,
    guestTtl: guestTtlOf(config),
    ...limitsOf(config),
    heapGrowth: parts.heapGrowth,
    onSpent: budgetLog(log),
  })
  return { worlds, rows }
}

/** What the seed says, and what is made up beside it; once for all worlds that begin with it. */
async function firstRowsOf(
  { config, beginning: { seed, home, defaults }, time }: WorldParts,
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
    settings: defaults.current,
    secret,
    requireRoom: (bytes) => new Budget(limitsOf(config).limits, time.wall).require('rows', 0, bytes),
  })
  return { ...made, state: [{ name: SETTINGS, value: { keep: keepFor(seed.populate) } }] }
}

/** Warns of worlds that have spent much of their budget. */
const budgetLog =
  (log: Log): WorldsOptions['onSpent'] =>
  (world, { name, used, limit, setting }, percent) =>
    log.warn('budget spent', { world, item: name, percent, used, limit, setting })

/** The first worlds of a process have the same addresses each time. */
const laterLife = (dropped: number) => (dropped === 0 ? undefined : String(dropped))

/** How long worlds of guests live after their last call, milliseconds. */
export const guestTtlOf =
  ({ readerTtl, signUpTtl }: Config) =>
  (guest: Guest): number =>
    guest === 'reader' ? readerTtl : signUpTtl

interface GuestParts {
  readonly config: Config
  readonly engine: Engine
  readonly worlds: Worlds
  /** What every world without a seed of its own starts with. */
  readonly rows: WorldRows
  readonly secrets: Secrets
  readonly time: Time
  readonly log: Log
}

/** Worlds for people who are not known, by the settings. */
export function openGuestWorlds({
  config,
  engine,
  worlds,
  rows,
  secrets,
  time,
  log,
}: GuestParts): GuestWorlds {
  return new GuestWorlds({
    worlds,
    rows,
    secrets,
    wall: time.wall,
    counters: engine.counters,
    rules: {
      signUp: config.signUp,
      readers: config.readerWorlds === 'on',
      tokens: config.signUpTokens ?? [],
      most: config.signUpWorlds,
      rate: config.signUpRate,
      addressRates: { 'sign-up': config.signUpAddressRate, reader: config.readerAddressRate },
      copies: config.signUpCopies,
      ttl: guestTtlOf(config),
    },
    onMade: (made) => log.info('world for a guest', made),
  })
}

/** What each world may take, those of strangers among them, and all of them together in bytes. */
export function limitsOf(config: Config): {
  readonly limits: Limits
  readonly guestLimits: Limits
  readonly maxMemory: number
} {
  const { maxMemory } = config
  const limits = ownLimits(config)
  return {
    limits,
    guestLimits: {
      ...limits,
      rows: Math.min(limits.rows, config.signUpRows),
      inboxes: Math.min(limits.inboxes, config.signUpRows),
      snapshots: Math.min(limits.snapshots, config.signUpRows),
      requests: Math.min(limits.requests, config.signUpRequests),
      callbacks: Math.min(limits.callbacks, config.signUpCallbacks),
      settings: {
        rows: 'SANDBOX_SIGN_UP_ROWS',
        inboxes: 'SANDBOX_SIGN_UP_ROWS',
        snapshots: 'SANDBOX_SIGN_UP_ROWS',
        requests: 'SANDBOX_SIGN_UP_REQUESTS',
        callbacks: 'SANDBOX_SIGN_UP_CALLBACKS',
      },
    },
    maxMemory: 'share' in maxMemory ? maxMemory.share * getHeapStatistics().heap_size_limit : maxMemory.bytes,
  }
}

const ownLimits = (config: Config): Limits => ({
  rows: config.worldRows,
  inboxes: config.worldInboxes,
  journal: config.worldJournal,
  snapshots: config.worldSnapshots,
  snapshot_count: config.worldSnapshotCount,
  scenarios: config.worldScenarios,
  bodies: config.worldBodies,
  waiters: config.worldWaiters,
  streams: config.worldStreams,
  requests: config.worldRequests,
  inbox_requests: config.worldInboxRequests,
  callbacks: config.worldCallbacks,
  callbacks_a_day: config.worldCallbacksADay,
  mails: config.worldMails,
})

/** Follows the heap of the process. Returns the bytes that survived the last full garbage collection beyond those in use now. */
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
