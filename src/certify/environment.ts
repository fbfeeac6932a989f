/** Where checks are tried: worlds of a sandbox of one's own, or of one that is there. */
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

/** A world to try a check in. */
export interface TestWorld {
  readonly world: WorldClient
  readonly secret: string
  /** Where its records stand. */
  readonly mark: Mark
  /** Gives the world back after the check. */
  leave(): Promise<void>
}

export interface TestEnvironment {
  readonly url: string
  readonly version: string
  /** What callbacks are signed with. */
  readonly secret: string
  /** Aborted when nothing is to be tried any more: that was asked for, or the world was lost. */
  readonly ended: AbortSignal
  /** `real`: time goes on; else it stands still and is moved. */
  openWorld(time: 'frozen' | 'real'): Promise<TestWorld>
  /** @throws WorldLost where another took the world over meanwhile */
  requireKept(): void
  close(): Promise<void>
}

/** Another took over the world that was tried in: what was seen there proves nothing. */
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

/** @throws SandboxError or TypeError when the sandbox cannot be reached, does not let the user in, or another has the world */
export async function openEnvironment(
  profile: Profile,
  options: EnvironmentOptions,
): Promise<TestEnvironment> {
  const lost = new AbortController()
  const ended = AbortSignal.any([lost.signal, ...(options.signal ? [options.signal] : [])])
  // Each check that runs beside others listens; without it Node.js takes them for a leak, and says so in the terminal.
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
      requireKept() {
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

/** The home world, and the same by requests that end with the run. */
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
    // What is under way in it ends when it is closed.
    return { home: own.home, tried: own.home, close: () => own.close() }
  } catch (error) {
    await own.close()
    throw error
  }
}

/** The version of the sandbox; `unknown` where only its operator may know it. */
export async function versionOf(home: WorldClient): Promise<string> {
  const answer = await home.fetch('/__admin/version').catch(() => undefined)
  const body = answer?.ok ? ((await answer.json()) as { version?: string }) : {}
  return body.version ?? 'unknown'
}

const secretOf = async ({ receiver }: Profile, home: WorldClient) =>
  receiver.secret ?? (await home.signatures.secret())

/** How worlds are for as long as they are tried in. */
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
  // All begin alike.
  let mark: Promise<Mark> | undefined
  const open = new Set<WorldClient>()
  return {
    async openWorld(time: 'frozen' | 'real'): Promise<TestWorld> {
      const factor = time === 'real' ? 1 : 0
      const world = await tried.world({ settings: settingsOf(profile), clock: { factor } })
      open.add(world)
      await world.signatures.rotate({ secret, overlap: '0' })
      mark ??= markOf(world)
      const leave = async () => {
        await world[Symbol.asyncDispose]()
        open.delete(world)
      }
      return { world, secret, mark: await mark, leave }
    },
    /** Those of checks that were ended on the way go, too. */
    async close() {
      await Promise.all([...open].map(({ username }) => home.worlds.delete(username).catch(() => {})))
    },
  }
}

/** One world for all, taken for as long as that lasts and put back to how it was in the end, also where this is killed. */
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

/** A killed run is over for others after so long. */
const LASTS = '1m'
/** Characters that a holder's name may have. */
const LONGEST_HOLDER = 100

/** @throws SandboxError 409 where another has the world, and has it still when it was waited for long enough */
async function leaseOn(
  home: WorldClient,
  { profile: name }: Profile,
  { wait, say, signal }: EnvironmentOptions,
): Promise<WorldLease> {
  const asked = { holder: `certify of ${name}`.slice(0, LONGEST_HOLDER), for: LASTS, restore: true, signal }
  try {
    return await home.lease(asked)
  } catch (error) {
    const held = heldBy(error)
    if (wait === undefined || held === undefined) throw error
    say(
      `The world of "${home.username}" is used by ${held}: it is waited for, ${formatDuration(parseDuration(wait))} at most.`,
    )
  }
  return home.lease({ ...asked, wait: String(wait) })
}

/** Who has the world that was refused, such as `"certify of shop" since 2026-06-30T12:00:03.000Z`; undefined of another refusal. */
export function heldBy(error: unknown): string | undefined {
  if (!(error instanceof SandboxError && error.isOf('takeLease') && error.status === 409)) return undefined
  const lease = error.body['lease'] as Lease | null
  return lease ? `${JSON.stringify(lease.holder)} since ${lease.since}` : 'another'
}
