import type { CallersKey, CreatedWorld } from '../../src/generated/control/types.ts'
import { readKey, writeAddress } from './address.ts'
import { type Api, type Credentials, SandboxError, connectTo } from './api.ts'
import { endOf } from './format.ts'
import { go, route, takeShared } from './route.ts'
import { keptInWindow, settings } from './settings.ts'
import { batch, signal } from '@preact/signals'

export interface Session extends Api {
  readonly world: string
  /** The world's name, if it has one. */
  readonly name: string | null
  /** The key of this window with its role. */
  readonly key: CallersKey
}

export interface SignIn {
  readonly username: string
  /** Why the form is shown; empty at first. */
  readonly why: string
}

export const session = signal<Session | undefined>()
/** Shown while there are no valid credentials. */
export const signIn = signal<SignIn | undefined>()
/** Why no world is shown, for reasons other than credentials. */
export const stopped = signal<string | undefined>()

/** A world that was deleted while it was shown. */
export const gone = signal<{ readonly world: string; readonly name: string | null } | undefined>()

/** Credentials by world id. */
const keys = keptInWindow<{ readonly [world: string]: Credentials }>('keys', {})

/** Worlds with known credentials, the most recently used first. */
export const knownWorlds = signal<readonly string[]>(Object.keys(keys.get()))

/** Keeps credentials until the window closes. */
export function keep(world: string, credentials: Credentials): void {
  const { [world]: _before, ...others } = keys.get()
  keys.set({ [world]: credentials, ...others })
  knownWorlds.value = Object.keys(keys.get())
}

function forget({ username }: Credentials): void {
  keys.set(Object.fromEntries(Object.entries(keys.get()).filter(([, kept]) => kept.username !== username)))
  knownWorlds.value = Object.keys(keys.get())
}

/** Returns the credentials of a world; `name+anything` shares the password of `name`. */
export function credentialsFor(world: string | undefined): Credentials | undefined {
  const kept = keys.get()
  const own: Credentials | undefined =
    settings.password === undefined ? undefined : { username: settings.username, password: settings.password }
  if (world === undefined) return own ?? Object.values(kept)[0]
  if (kept[world]) return kept[world]
  const [name] = world.split('+')
  const parent = [own, ...Object.values(kept)].find((each) => each?.username === name)
  if (parent && world.includes('+')) return { ...parent, username: world }
  // Others have to be asked for: the world was created with a key of its own.
  return own?.username === world ? own : undefined
}

/** Opens the world of the address, or asks for credentials. */
export async function enter(): Promise<void> {
  const { world } = route.peek()
  const link = takeShared()
  if (link) {
    const key = readKey(link.key)
    if (!key) return leave('', 'this link is incomplete, so its key cannot be read')
    // Stored immediately, so that a later navigation uses the same key.
    if (link.world !== undefined) keep(link.world, key)
    return signInWith(key, link.world, 'the key of this link has expired or was revoked; ask for a new link')
  }
  if (world !== undefined && session.peek()?.world === world) return
  if (gone.peek() && gone.peek()!.world === world) return
  gone.value = undefined
  const credentials = credentialsFor(world)
  if (credentials) await signInWith(credentials, world)
  else leave(world ?? settings.username, '')
}

/**
 * @param wanted - the world to open; by default the one of the credentials
 * @param unknown - message for invalid credentials
 */
export async function signInWith(
  credentials: Credentials,
  wanted?: string,
  unknown = 'the sandbox does not know this username and password',
): Promise<void> {
  let key: CallersKey | undefined
  const api = connectTo(credentials, () => key?.role)
  try {
    const shown = await api.client.show()
    const { id, name } = shown
    key = shown.key!
    if (wanted !== undefined && id !== wanted)
      return leave(wanted, `${credentials.username} belongs to another world, ${id}`)
    keep(id, credentials)
    batch(() => {
      signIn.value = undefined
      stopped.value = undefined
      gone.value = undefined
      session.value = { ...api, world: id, name, key: shown.key! }
    })
    if (route.peek().world !== id) go(writeAddress({ ...route.peek(), world: id }), { replace: true })
  } catch (error) {
    if (error instanceof SandboxError && error.status === 401) {
      forget(credentials)
      return leave(credentials.username, unknown)
    }
    if (error instanceof SandboxError) stopped.value = error.message
    else throw error
  }
}

export function leave(username: string, why: string): void {
  batch(() => {
    session.value = undefined
    signIn.value = { username, why }
  })
}

/** Called when the sandbox rejects the credentials. */
export function expired(): void {
  const now = session.peek()
  if (!now) return
  const { world, username, key } = now
  const leaveIt = () => {
    if (session.peek()?.world !== world) return
    forget(now.transport.credentials)
    const over = key.expires_at !== null && Date.parse(key.expires_at) <= Date.now() + MARGIN
    leave(
      username,
      over
        ? `the key ${username} expired at ${endOf(key.expires_at!)}; ask for a new one`
        : `${username} is no longer valid: the key was revoked, or its world was deleted`,
    )
  }
  isGone().then((is) => (is ? goneNow() : leaveIt()), leaveIt)
}

/** Tolerance for clock differences in milliseconds. */
const MARGIN = 60_000
/** The longest delay that timers support. */
const LONGEST = 2 ** 31 - 1

/** Checks the key at its expiry. @returns how to stop */
export function watchEnd({ key, client }: Session): () => void {
  if (key.expires_at === null) return () => {}
  const left = Date.parse(key.expires_at) - Date.now()
  const ask = () =>
    client.show().catch((error: unknown) => {
      if (error instanceof SandboxError && error.status === 401) expired()
    })
  const timer = setTimeout(ask, Math.min(Math.max(left, 0) + 500, LONGEST))
  return () => clearTimeout(timer)
}

/** The world that a derived username starts with. */
export const rootOf = (world: string): string => world.split('+')[0]!

/**
 * Checks whether the world still exists with the key that created it, because its own key would create it
 * again.
 */
export async function isGone(): Promise<boolean> {
  const { world } = session.peek() ?? {}
  if (world === undefined || rootOf(world) === world) return false
  const credentials = credentialsFor(rootOf(world))
  if (credentials?.username !== rootOf(world)) return false
  const { transport } = connectTo(credentials)
  const answer = await transport.send('GET', `/sandbox/worlds/${encodeURIComponent(world)}`)
  // An unread body would keep its connection open.
  await answer.body?.cancel()
  return answer.status === 404
}

/** Shows that the world was deleted, instead of creating it again. */
export function goneNow(): void {
  const now = session.peek()
  // The reader may already have moved to another world.
  if (!now || route.peek().world !== now.world) return
  batch(() => {
    gone.value = { world: now.world, name: now.name }
    session.value = undefined
  })
}

/** Recreates a deleted world, under the same username if possible. */
export async function makeAgain(): Promise<void> {
  const { world, name } = gone.peek()!
  const root = credentialsFor(rootOf(world))!
  const own = credentialsFor(world)
  if (own && own.password === root.password) await signInWith({ ...own, username: world }, world)
  else {
    const body = { ...(name !== null && { name }) }
    const made = await connectTo(root).transport.ask<CreatedWorld>('POST', '/sandbox/worlds', { body })
    keep(made.world.id, made.credentials)
    go(writeAddress({ world: made.world.id, page: 'home' }))
  }
  gone.value = undefined
}

export const goToRoot = (world: string): void => go(writeAddress({ world: rootOf(world), page: 'worlds' }))
