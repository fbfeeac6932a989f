import { setMaxListeners } from 'node:events'
import { connect, overNetwork } from '../client/connect.ts'
import { createTransport, type Reach, SandboxError } from '../client/transport.ts'
import type { Lease, WorldClient, WorldLease, WorldSettingsChange } from '../client/types.ts'
import { createWorldClient } from '../client/world-client.ts'
import { formatDuration, parseDuration } from '../lib/text/duration.ts'
import type { Receiver } from '../callbacks/receivers/receiver.ts'
import type { CertifyOptions } from './options.ts'
import type { Profile } from './profile.ts'
import { type Mark, markOf } from './world-record.ts'

export interface TestWorld {
  readonly world: WorldClient
  readonly secret: string
  /** The position of its record at the start. */
  readonly mark: Mark
  /** Gives the world back after the check. */
  leave(): Promise<void>
}

export interface TestEnvironment {
  readonly url: string
  readonly version: string
  /** The signing secret of callbacks. */
  readonly secret: string
  /** Aborted when the caller stops the run or another process takes the world over. */
  readonly ended: AbortSignal
  /** @param time whether the clock of the world runs or is frozen */
  openWorld(time: 'frozen' | 'real'): Promise<TestWorld>
  /** @throws {WorldLost} If another process took the world over. */
  requireLease(): void
  close(): Promise<void>
}

/** Another process took the world over during the run, so that the findings prove nothing. */
export class WorldLost extends Error {
  override readonly name = 'WorldLost'
}

/** The parts of a sandbox in this process that a run needs. */
export interface OwnSandbox {
  readonly home: WorldClient
  listen(port: number): Promise<unknown>
  close(): Promise<void>
}

/** Starts a sandbox in this process. Callers pass it in, so that checks and their judging do not import the sandbox. */
export type CreateSandbox = (options: {
  readonly env: Readonly<Record<string, string>>
  readonly receivers?: Readonly<Record<string, Receiver>>
}) => Promise<OwnSandbox>

export type EnvironmentOptions = Pick<CertifyOptions, 'receivers' | 'signal' | 'wait'> & {
  readonly createSandbox: CreateSandbox
  readonly say: (text: string) => void
}

/** @throws {SandboxError | TypeError} If the sandbox is unreachable or rejects the user, or another process holds the world. */
export async function openEnvironment(
  profile: Profile,
  options: EnvironmentOptions,
): Promise<TestEnvironment> {
  const lost = new AbortController()
  const ended = AbortSignal.any([lost.signal, ...(options.signal ? [options.signal] : [])])
  // Every parallel check listens; without this call Node.js warns of a leak.
  setMaxListeners(0, ended)
  const opened = await open(profile, options, ended)
  try {
    const { home } = opened
    const [version, secret] = await Promise.all([versionOf(home), secretOf(profile, home)])
    const given = { profile, ...opened, secret, options, onLost: (why: Error) => lost.abort(why) }
    const worlds = profile.isolation === 'world' ? ownWorlds(given) : await oneWorld(given)
    return {
      url: home.url,
      version,
      secret,
      ended,
      openWorld: worlds.openWorld,
      requireLease() {
        if (lost.signal.aborted)
          throw new WorldLost((lost.signal.reason as Error).message, { cause: lost.signal.reason })
      },
      async close() {
        await worlds.close().finally(opened.close)
      },
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Opens the default world, and a client for it whose requests end with the run. */
async function open(
  { sandbox, port, user }: Profile,
  { receivers, createSandbox }: EnvironmentOptions,
  ended: AbortSignal,
) {
  if (sandbox !== undefined && !receivers) {
    const home = connect(sandbox, user)
    const { origin } = new URL(home.url)
    const reach: Reach = {
      send: (request) =>
        overNetwork(new Request(request, { signal: AbortSignal.any([request.signal, ended]) })),
      leadsThere: (address) => address.origin === origin,
    }
    const tried = createWorldClient(createTransport(home.url, user, reach), reach)
    return { home, tried, close: async () => {} }
  }
  const { username, password } = user
  const env = { SANDBOX_API_USERNAME: username, SANDBOX_API_PASSWORD: password }
  const own = await createSandbox({ env, ...(receivers && { receivers }) })
  try {
    if (!receivers) await own.listen(port)
    // Closing the sandbox ends all its requests.
    return { home: own.home, tried: own.home, close: () => own.close() }
  } catch (error) {
    await own.close()
    throw error
  }
}

/** Returns the version of the sandbox, or `unknown` if only its operator may see it. */
export async function versionOf(home: WorldClient): Promise<string> {
  const answer = await home.fetch('/__admin/version').catch(() => undefined)
  const body = answer?.ok ? ((await answer.json()) as { version?: string }) : {}
  return body.version ?? 'unknown'
}

const secretOf = async ({ receiver }: Profile, home: WorldClient) =>
  receiver.secret ?? (await home.signatures.secret())

/** The settings of worlds during a run. */
const settingsOf = ({ receiver: { signatures, within } }: Profile): WorldSettingsChange => ({
  signatures,
  retry_profile: 'none',
  callback_timeout: Math.min(30_000, Math.max(1_000, within * 2)),
  payer: 'automatic',
  realism: 'plain',
})

interface Parts {
  readonly profile: Profile
  readonly home: WorldClient
  readonly tried: WorldClient
  readonly secret: string
  readonly options: EnvironmentOptions
  readonly onLost: (why: Error) => void
}

function ownWorlds({ profile, home, tried, secret }: Parts) {
  // Every new world starts with the same record.
  let mark: Promise<Mark> | undefined
  const open = new Set<WorldClient>()
  return {
    async openWorld(time: 'frozen' | 'real'): Promise<TestWorld> {
      const speed = time === 'real' ? 1 : 0
      const world = await tried.world({ settings: settingsOf(profile), clock: { speed } })
      open.add(world)
      await world.signatures.rotate({ secret, overlap: '0' })
      mark ??= markOf(world)
      const leave = async () => {
        await world[Symbol.asyncDispose]()
        open.delete(world)
      }
      return { world, secret, mark: await mark, leave }
    },
    /** Deletes the worlds of aborted checks, too. */
    async close() {
      await Promise.all([...open].map(({ username }) => home.worlds.delete(username).catch(() => {})))
    },
  }
}

/** Runs all checks in one world under a lease, which restores the world at the end even if certify is killed. */
async function oneWorld({ profile, home, tried, secret, options, onLost }: Parts) {
  const lease = await leaseOn(home, profile, options)
  lease.lost.addEventListener('abort', () => onLost(lease.lost.reason as Error))
  try {
    const before = await home.signatures.secret()
    await home.configure(settingsOf(profile))
    if (secret !== before) await home.signatures.rotate({ secret, overlap: '0' })
  } catch (error) {
    await lease.release()
    throw error
  }
  return {
    async openWorld(time: 'frozen' | 'real'): Promise<TestWorld> {
      await (time === 'real' ? tried.clock.resume() : tried.clock.freeze())
      const leave = () => tried.scenarios.off('certify').catch(() => {})
      return { world: tried, secret, mark: await markOf(tried), leave }
    },
    close: () => lease.release(),
  }
}

/** How long the lease of a killed run lasts. */
const LEASE_DURATION = '1m'
/** Maximum length of a holder's name. */
const MAX_HOLDER = 100

/** @throws {SandboxError} 409 if another holder keeps the world for longer than `wait`. */
async function leaseOn(
  home: WorldClient,
  { profile: name }: Profile,
  { wait, say, signal }: EnvironmentOptions,
): Promise<WorldLease> {
  const asked = {
    holder: `certify of ${name}`.slice(0, MAX_HOLDER),
    duration: LEASE_DURATION,
    restore: true,
    signal,
  }
  try {
    return await home.lease(asked)
  } catch (error) {
    const held = heldBy(error)
    if (wait === undefined || held === undefined) throw error
    say(
      `The world of "${home.username}" is held by ${held}. Waiting up to ${formatDuration(parseDuration(wait))}.`,
    )
  }
  return home.lease({ ...asked, wait: String(wait) })
}

/**
 * Returns the holder of the world, such as `"certify of shop" since 2026-06-30T12:00:03.000Z`, or undefined for another
 * error.
 */
export function heldBy(error: unknown): string | undefined {
  if (!(error instanceof SandboxError && error.isOf('takeLease') && error.status === 409)) return undefined
  const lease = error.body['lease'] as Lease | null
  return lease ? `${JSON.stringify(lease.holder)} since ${lease.since}` : 'another'
}
