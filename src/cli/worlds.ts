import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import type { ApiKey, NewApiKey, NewWorld, Seed, WorldSettingsChange, WorldView } from '../client/types.ts'
import { Refusal } from './failed.ts'
import type { Fields } from './fields.ts'
import { painter } from './paint.ts'
import { requireYes, type Session } from './session.ts'

export interface MakeOptions {
  readonly seed?: string
  readonly at?: Date
  readonly frozen?: boolean
  readonly set?: Fields
}

/** The answer given in advance to whether something is to be deleted. */
export interface Yes {
  readonly yes?: boolean
}

export interface KeyOptions {
  readonly name?: string
  readonly expiresIn?: string
  readonly set?: Fields
}

const adminOf = ({ io, world }: Session) => world.admin(io.env['SANDBOX_ADMIN_TOKEN'] || undefined)

/** Tells of the worlds of the key; of all there are when `all` is said. */
export async function list(session: Session, search: string | undefined, all = false): Promise<void> {
  if (all) return listAll(session, search)
  const { world, out } = session
  const found = await world.worlds.list(search)
  if (found.length === 0) out.say('there is no such world')
  for (const each of found) {
    const { id, name, transactions, requests, last_used_at, clock } = each
    const named = name === null ? '' : `  ${name}`
    const time = clock.factor === 0 ? `  stands still at ${clock.now}` : ''
    const much = `${counted(transactions, 'transaction')}, ${counted(requests, 'request')}`
    const text = `${painter(out.colours)('bold', id)}${named}  ${much}  last used ${last_used_at}${time}`
    out.say(text, { kind: 'world', ...each })
  }
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

async function listAll(session: Session, prefix: string | undefined): Promise<void> {
  const { out } = session
  for (let after: string | null | undefined; after !== null;) {
    const begins = { ...(prefix !== undefined && { prefix }), ...(after !== undefined && { after }) }
    const page = await adminOf(session).worlds(begins)
    for (const each of page.worlds) {
      const { name, last_used_at, bytes } = each
      out.say(`${name}  ${Math.ceil(bytes / 1024)} KiB  last used ${last_used_at ?? 'never'}`, {
        kind: 'world',
        ...each,
      })
    }
    after = page.next_after
  }
}

/** Makes a world and tells its credentials. */
export async function make(
  { world, out }: Session,
  name: string | undefined,
  options: MakeOptions,
): Promise<void> {
  const { seed, at, frozen, set } = options
  const clock = { ...(at && { at: at.toISOString() }), factor: 0 }
  const body: NewWorld = {
    name,
    ...(seed !== undefined && { seed: await seedIn(seed) }),
    ...(set && { settings: set as WorldSettingsChange }),
    ...((frozen || at) && { clock }),
  }
  const made = await world.call('createWorld', { body })
  const { credentials, base_url, inbox_url, signing_secret } = made
  const bold = painter(out.colours)
  out.say(`world    ${bold('bold', made.world.id)}`, { kind: 'world', ...made })
  out.say(`key      ${credentials.username}:${credentials.password}`)
  out.say(`address  ${base_url}`)
  out.say(`inbox    ${inbox_url}`)
  out.say(`secret   ${signing_secret}`)
}

/** @throws Refusal for a file that cannot be read; what is wrong in it the sandbox says */
async function seedIn(path: string): Promise<Seed> {
  try {
    return parse(await readFile(path, 'utf8')) as Seed
  } catch (error) {
    throw new Refusal(`--seed ${path}: ${(error as Error).message}`)
  }
}

export async function reset(session: Session, options: { readonly all?: boolean } & Yes): Promise<void> {
  const { world, out, target } = session
  const { all = false } = options
  await requireYes(
    session,
    options,
    all
      ? 'This empties all worlds of the sandbox'
      : `This empties the world of ${target.username}${contents(await world.show())}`,
  )
  await (all ? adminOf(session) : world).reset()
  const what = all ? 'all worlds' : `the world of ${target.username}`
  out.say(`${what} begin${all ? '' : 's'} anew`, { kind: 'reset', all })
}

/** ` with 3 transactions and 12 requests`, so that a person sees which world it is. */
const contents = ({ transactions, requests }: WorldView) =>
  ` with ${counted(transactions, 'transaction')} and ${counted(requests, 'request')}`

export async function remove(session: Session, id: string, options: Yes): Promise<void> {
  const { world, out } = session
  const shown = await world.worlds.show(id)
  await requireYes(session, options, `This deletes the world ${shown.id}${contents(shown)}`)
  await world.worlds.delete(id)
  out.say(`${id} is gone`, { kind: 'removed', world: id })
}

export async function listKeys({ world, out }: Session): Promise<void> {
  for (const key of await world.apiKeys.list()) out.say(lineOf(key), { kind: 'key', ...key })
}

function lineOf({ username, user_id, default_account_id, name, expires_at, revoked_at }: ApiKey): string {
  const ends =
    revoked_at === null ? (expires_at === undefined ? '' : `until ${expires_at}`) : `revoked ${revoked_at}`
  return [username, name, `user ${user_id}, Team ${default_account_id}`, ends].filter(Boolean).join('  ')
}

export async function makeKey({ world, out }: Session, { name, expiresIn, set }: KeyOptions): Promise<void> {
  const body = { name, expires_in: expiresIn, ...set } as NewApiKey
  const key = await world.apiKeys.create(body)
  out.say(`${key.username}:${key.password}`, { kind: 'key', ...key })
}

export async function revokeKey(session: Session, username: string, options: Yes): Promise<void> {
  const { world, out } = session
  await requireYes(session, options, `This revokes the key ${username}`)
  await world.apiKeys.revoke(username)
  out.say(`${username} opens nothing any more`, { kind: 'revoked', username })
}
