/** Where checks are tried: worlds of a sandbox of one's own, or of one that is there. */
import { connect } from '../client/connect.ts'
import type { WorldClient, WorldSettingsChange } from '../client/types.ts'
import { createSandbox } from '../index.ts'
import type { Profile, Receivers } from './profile.ts'
import { type Mark, markOf } from './scene.ts'

/** A world to try a check in. */
export interface Place {
  readonly world: WorldClient
  readonly secret: string
  /** Where its records stand. */
  readonly mark: Mark
  /** Done with. */
  leave(): Promise<void>
}

export interface Ground {
  readonly url: string
  readonly version: string
  /** What callbacks are signed with. */
  readonly secret: string
  /** `real`: time goes on; else it stands still and is moved. */
  place(time: 'frozen' | 'real'): Promise<Place>
  close(): Promise<void>
}

/** @throws SandboxError or TypeError when the sandbox cannot be reached or does not let the user in */
export async function openGround(profile: Profile, receivers: Receivers | undefined): Promise<Ground> {
  const opened = await open(profile, receivers)
  try {
    const { home } = opened
    const [version, secret] = await Promise.all([versionOf(home), secretOf(profile, home)])
    const given = { profile, home, secret }
    const places = profile.isolation === 'world' ? ownWorlds(given) : await oneWorld(given)
    return {
      url: home.url,
      version,
      secret,
      place: places.place,
      async close() {
        await places.close().finally(opened.close)
      },
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function open({ sandbox, port, user }: Profile, receivers: Receivers | undefined) {
  if (sandbox !== undefined && !receivers) return { home: connect(sandbox, user), close: async () => {} }
  const { username, password } = user
  const env = { SANDBOX_API_USERNAME: username, SANDBOX_API_PASSWORD: password }
  const own = await createSandbox({ env, ...(receivers && { receivers }) })
  try {
    if (!receivers) await own.listen(port)
    return { home: own.home, close: () => own.close() }
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
  readonly secret: string
}

function ownWorlds({ profile, home, secret }: Parts) {
  // All begin alike.
  let mark: Promise<Mark> | undefined
  return {
    async place(time: 'frozen' | 'real'): Promise<Place> {
      const factor = time === 'real' ? 1 : 0
      const world = await home.world({ settings: settingsOf(profile), clock: { factor } })
      await world.signatures.rotate({ secret, overlap: '0' })
      mark ??= markOf(world)
      return { world, secret, mark: await mark, leave: () => world[Symbol.asyncDispose]() }
    },
    close: async () => {},
  }
}

/** One world for all, put back to how it was in the end. */
async function oneWorld({ profile, home, secret }: Parts) {
  const [{ settings }, clock, before] = await Promise.all([
    home.show(),
    home.clock.show(),
    home.signatures.secret(),
  ])
  const { signatures, retry_profile, callback_timeout, payer, realism } = settings
  await home.configure(settingsOf(profile))
  if (secret !== before) await home.signatures.rotate({ secret, overlap: '0' })
  return {
    async place(time: 'frozen' | 'real'): Promise<Place> {
      await (time === 'real' ? home.clock.resume() : home.clock.freeze())
      const leave = () => home.scenarios.off('certify').catch(() => {})
      return { world: home, secret, mark: await markOf(home), leave }
    },
    async close() {
      await home.scenarios.delete('certify').catch(() => {})
      await home.configure({ signatures, retry_profile, callback_timeout, payer, realism })
      if (secret !== before) await home.signatures.rotate({ secret: before, overlap: '0' })
      await (clock.frozen ? home.clock.freeze() : home.clock.resume())
    },
  }
}
