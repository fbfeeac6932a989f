import { setMaxListeners } from 'node:events'
import type { Receiver } from '../callbacks/receivers/receiver.ts'
import { connect, overNetwork } from '../client/connect.ts'
import { createTransport, SandboxError, type Send } from '../client/transport.ts'
import type { Lease, WorldClient, WorldSettingsChange } from '../client/types.ts'
import { createWorldClient } from '../client/world-client.ts'
import { formatDuration, parseDuration } from '../lib/text/duration.ts'
import type { CertifyOptions } from './profile.ts'
import type { Profile } from './read-profile.ts'
import { watchStalls } from './waiting.ts'
import { type Mark, markOf } from './world-record.ts'

export type ClockMode = 'frozen' | 'real'

export interface TestWorld {
  readonly world: WorldClient
  readonly secret: string
  /** The position of its record at the start. */
  readonly mark: Mark
  /** Gives the world back after the check. */
  leave(): Promise<void>
}

export type TestEnvironment = Awaited<ReturnType<typeof openEnvironment>>

/** Another process took the world over during the run, so that the findings prove nothing. */
export class WorldLost extends Error {
  override readonly name = 'WorldLost'
}

/** Starts a sandbox in this process. Callers pass it in, so that checks and their judging do not import the sandbox. */
export type CreateSandbox = (options: {
  readonly env: Readonly<Record<string, string>>
  readonly receivers?: Readonly<Record<string, Receiver>>
}) => Promise<{
  readonly home: WorldClient
  listen(port: number): Promise<unknown>
  close(): Promise<void>
}>

export type EnvironmentOptions = Pick<CertifyOptions, 'receivers' | 'signal' | 'wait'> & {
  readonly say: (text: string) => void
  readonly createSandbox?: CreateSandbox | undefined
  /** The sandbox in which the run itself is executed. */
  readonly within?: { readonly url: string; readonly version: string; readonly send: Send } | undefined
}

/** @throws {SandboxError | TypeError} If the sandbox is unreachable or rejects the user, or another process holds the world. */
export async function openEnvironment(profile: Profile, options: EnvironmentOptions) {
  const lost = new AbortController()
  const ended = AbortSignal.any([lost.signal, ...(options.signal ? [options.signal] : [])])
  // Every parallel check listens; without this call Node.js warns of a leak.
  setMaxListeners(0, ended)
  const opened = await open(profile, options, ended)
  const { home } = opened
  try {
    const [version, secret] = await Promise.all([
      options.within?.version ?? versionOf(home),
      profile.receiver.secret ?? home.signatures.secret(),
    ])
    const secrets = new Set([secret])
    const parts = { ...opened, profile, secret, secrets, options, onLost: (why: Error) => lost.abort(why) }
    const worlds = profile.isolation === 'world' ? ownWorlds(parts) : await oneWorld(parts)
    const stalls = watchStalls()
    return {
      url: home.url,
      version,
      /** The signing secret of callbacks, and the credentials of the worlds. */
      secrets,
      /** Aborted when the caller stops the run or another process takes the world over. */
      ended,
      stalls,
      openWorld: worlds.openWorld,
      /** @throws {WorldLost} If another process took the world over. */
      requireLease() {
        if (!lost.signal.aborted) return
        const { reason } = lost.signal as { readonly reason: Error }
        throw new WorldLost(reason.message, { cause: reason })
      },
      close() {
        stalls.stop()
        return worlds.close().finally(opened.close)
      },
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

interface Opened {
  /** Its requests continue after the run, to restore the world. */
  readonly home: WorldClient
  /** Its requests end with the run. */
  readonly tried: WorldClient
  close(): Promise<void>
}

async function open(profile: Profile, options: EnvironmentOptions, ended: AbortSignal): Promise<Opened> {
  const { sandbox, port, user } = profile
  const { receivers, within, createSandbox } = options
  const clientOf = (url: string, send: Send) => {
    const { origin } = new URL(url)
    const reach = { send, leadsThere: (address: URL) => address.origin === origin }
    return createWorldClient(createTransport(url, user, reach), reach)
  }
  const stoppable =
    (send: Send): Send =>
    (request) =>
      send(new Request(request, { signal: AbortSignal.any([request.signal, ended]) }))
  const close = async () => {}
  if (within) {
    const home = clientOf(within.url, within.send)
    return { home, tried: clientOf(within.url, stoppable(within.send)), close }
  }
  if (sandbox !== undefined && !receivers) {
    const home = connect(sandbox, user)
    return { home, tried: clientOf(home.url, stoppable(overNetwork)), close }
  }
  const env = { SANDBOX_API_USERNAME: user.username, SANDBOX_API_PASSWORD: user.password }
  const own = await createSandbox!({ env, ...(receivers && { receivers }) })
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

const settingsOf = ({ receiver: { signatures, within, protection } }: Profile): WorldSettingsChange => ({
  signatures,
  ...(protection && { receiver_protection: protection as WorldSettingsChange['receiver_protection'] }),
  retry_profile: 'none',
  callback_timeout: Math.min(30_000, Math.max(1_000, within * 2)),
  payer: 'automatic',
  realism: 'plain',
})

interface Parts extends Opened {
  readonly profile: Profile
  readonly secret: string
  readonly secrets: Set<string>
  readonly options: EnvironmentOptions
  readonly onLost: (why: Error) => void
}

function ownWorlds({ profile, home, tried, secret, secrets }: Parts) {
  // Every new world starts with the same record.
  let mark: Promise<Mark> | undefined
  const open = new Set<WorldClient>()
  return {
    async openWorld(clock: ClockMode): Promise<TestWorld> {
      const speed = clock === 'real' ? 1 : 0
      const world = await tried.world({ settings: settingsOf(profile), clock: { speed } })
      open.add(world)
      secrets.add(world.password).add(world.authorization.replace(/^Basic /, ''))
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
    async openWorld(clock: ClockMode): Promise<TestWorld> {
      await (clock === 'real' ? tried.clock.resume() : tried.clock.freeze())
      const leave = () => tried.scenarios.off('certify').catch(() => {})
      return { world: tried, secret, mark: await markOf(tried), leave }
    },
    close: () => lease.release(),
  }
}

const MAX_HOLDER = 100

/**
 * Takes the lease of the world for a minute, which the client renews.
 * @throws {SandboxError} 409 if another holder keeps the world for longer than `wait`.
 */
async function leaseOn(home: WorldClient, profile: Profile, { wait, say, signal }: EnvironmentOptions) {
  const holder = `certify of ${profile.profile}`.slice(0, MAX_HOLDER)
  const asked = { holder, duration: '1m', restore: true, signal }
  try {
    return await home.lease(asked)
  } catch (error) {
    const held = heldBy(error)
    if (wait === undefined || held === undefined) throw error
    const limit = formatDuration(parseDuration(wait))
    say(`The world of "${home.username}" is held by ${held}. Waiting up to ${limit}.`)
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
