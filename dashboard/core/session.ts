/** Who looks, and at which world. */
import { batch, signal } from '@preact/signals'
import type { CallersKey } from '../../src/generated/control/types.ts'
import { type Api, connectTo, type Credentials, SandboxError } from './api.ts'
import { writeAddress } from './address.ts'
import { go, route } from './route.ts'
import { settings } from './settings.ts'
import { keptInWindow } from './storage.ts'

export interface Session extends Api {
  /** The id of the world. */
  readonly world: string
  /** What it is called where somebody named it. */
  readonly name: string | null
  /** The key of this window, and how far it goes. */
  readonly key: CallersKey
}

export interface SignIn {
  readonly username: string
  /** Why the form is shown; empty at the first time. */
  readonly why: string
}

export const session = signal<Session | undefined>()
/** Shown instead of a page while there are no credentials that work. */
export const signIn = signal<SignIn | undefined>()
/** Why no world is shown, when that is not for want of credentials. */
export const stopped = signal<string | undefined>()

/** Credentials by the id of the world that they are of. */
const keys = keptInWindow<{ readonly [world: string]: Credentials }>('keys', {})

/** Worlds of which this window has credentials. */
export const knownWorlds = signal<readonly string[]>(Object.keys(keys.get()))

/** Remembers credentials for as long as the window is open. */
export function keep(world: string, credentials: Credentials): void {
  keys.set({ ...keys.get(), [world]: credentials })
  knownWorlds.value = Object.keys(keys.get())
}

/** What is known of a world's credentials; a world `name+anything` has the password of `name`. */
function credentialsFor(world: string | undefined): Credentials | undefined {
  const kept = keys.get()
  const own: Credentials | undefined =
    settings.password === undefined ? undefined : { username: settings.username, password: settings.password }
  if (world === undefined) return own ?? Object.values(kept)[0]
  if (kept[world]) return kept[world]
  const [name] = world.split('+')
  const parent = [own, ...Object.values(kept)].find((each) => each?.username === name)
  if (parent && world.includes('+')) return { ...parent, username: world }
  return own
}

/** Enters the world of the address, or asks for credentials. */
export async function enter(): Promise<void> {
  const { world } = route.peek()
  if (world !== undefined && session.peek()?.world === world) return
  const credentials = credentialsFor(world)
  if (credentials) await signInWith(credentials, world)
  else leave(world ?? settings.username, '')
}

/** @param wanted the world that is to be shown; whatever world the credentials are of when left out */
export async function signInWith(credentials: Credentials, wanted?: string): Promise<void> {
  let key: CallersKey | undefined
  const api = connectTo(credentials, () => key?.role)
  try {
    const shown = await api.client.show()
    const { id, name } = shown
    key = shown.key!
    if (wanted !== undefined && id !== wanted)
      return leave(wanted, `${credentials.username} is a key of another world, ${id}`)
    keep(id, credentials)
    batch(() => {
      signIn.value = undefined
      stopped.value = undefined
      session.value = { ...api, world: id, name, key: shown.key! }
    })
    if (route.peek().world !== id) go(writeAddress({ ...route.peek(), world: id }), { replace: true })
  } catch (error) {
    if (error instanceof SandboxError && error.status === 401)
      return leave(credentials.username, 'the sandbox does not know this username and password')
    if (error instanceof SandboxError) stopped.value = error.message
    else throw error
  }
}

/** Asks for credentials. */
export function leave(username: string, why: string): void {
  batch(() => {
    session.value = undefined
    signIn.value = { username, why }
  })
}

/** The sandbox says that the credentials are no longer good. */
export function expired(): void {
  const { world, username } = session.peek() ?? {}
  if (world === undefined) return
  const { [world]: _gone, ...others } = keys.get()
  keys.set(others)
  leave(username!, `${username} is not let in any more: its key was revoked, or its world is gone`)
}
