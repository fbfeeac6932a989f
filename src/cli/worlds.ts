import { Command } from 'commander'
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { Refusal, unlessUnknown } from './failures.ts'
import { type Fields, readTime, setOption, yesOption } from './options.ts'
import { painter } from './output.ts'
import type { Process } from './process.ts'
import type { End } from './options.ts'
import { worldCommand, requireYes, type Session } from './world-command.ts'
import type { ApiKey, NewApiKey, NewWorld, Seed, WorldSettingsChange, WorldView } from '../client/types.ts'

export function worldsCommand(io: Process, end: End): Command {
  const asks = worldCommand(io, end)
  const worlds = new Command('worlds').description(
    'Manage the worlds of the user. With --all, manage all worlds as the operator; requires SANDBOX_ADMIN_TOKEN if the sandbox sets it.',
  )
  asks(
    worlds
      .command('list')
      .description('List the world of the key and the worlds it created, oldest first.')
      .argument('[search]', 'part of the name or id; with --all, the beginning of the name')
      .option('--all', 'all worlds, the most recently used first'),
    async (session, search: string | undefined, { all }: { all?: boolean }) => list(session, search, all),
  )
  asks(
    worlds
      .command('create')
      .description('Create an isolated world, and print its credentials.')
      .argument('[name]', 'its display name')
      .option('--seed <file>', 'its initial content, a seed file in YAML or JSON')
      .option('--at <time>', 'the initial time of its clock, which is then frozen', readTime)
      .option('--frozen', 'freeze its clock')
      .addOption(setOption('a setting, such as payer=manual; repeatable')),
    async (session, name: string | undefined, options: MakeOptions) => make(session, name, options),
  )
  asks(
    worlds
      .command('reset')
      .description('Restore the initial state of the world of the key. Pending jobs are dropped.')
      .option('--all', 'all worlds of the sandbox')
      .addOption(yesOption()),
    async (session, options: { all?: boolean } & Yes) => reset(session, options),
  )
  asks(
    worlds
      .command('delete')
      .description('Delete a world.')
      .argument('<world>', 'its id, or current for the world of the key')
      .addOption(yesOption()),
    async (session, world: string, options: Yes) => remove(session, world, options),
  )
  const keys = worlds.command('keys').description('Manage the API keys of a world.')
  asks(keys.command('list').description('List the keys, without passwords.'), async (session) =>
    listKeys(session),
  )
  asks(
    keys
      .command('create')
      .description('Create a key, and print its password, which cannot be shown again.')
      .option('--name <text>', 'its purpose')
      .option('--expires-in <duration>', 'such as 30d (default: never)')
      .addOption(setOption('its user, Team or role: user_id=2, account_id=63 or role_id=4; repeatable')),
    async (session, options: KeyOptions) => makeKey(session, options),
  )
  asks(
    keys
      .command('revoke')
      .description('Revoke a key. The sandbox then rejects requests with it.')
      .argument('<username>')
      .addOption(yesOption()),
    async (session, username: string, options: Yes) => revokeKey(session, username, options),
  )
  return worlds
}

interface MakeOptions {
  readonly seed?: string
  readonly at?: Date
  readonly frozen?: boolean
  readonly set?: Fields
}

interface Yes {
  readonly yes?: boolean
}

interface KeyOptions {
  readonly name?: string
  readonly expiresIn?: string
  readonly set?: Fields
}

const adminOf = ({ io, world }: Session) => world.admin(io.env['SANDBOX_ADMIN_TOKEN'] || undefined)

async function list(session: Session, search: string | undefined, all = false): Promise<void> {
  if (all) return listAll(session, search)
  const { world, out } = session
  const found = await world.worlds.list(search)
  if (found.length === 0) out.say('no matching world')
  for (const each of found) {
    const { id, name, transactions, requests, last_used_at, clock } = each
    const named = name === null ? '' : `  ${name}`
    const time = clock.speed === 0 ? `  frozen at ${clock.now}` : ''
    const size = `${counted(transactions, 'transaction')}, ${counted(requests, 'request')}`
    const text = `${painter(out.colours)('bold', id)}${named}  ${size}  last used ${last_used_at}${time}`
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

async function make({ world, out }: Session, name: string | undefined, options: MakeOptions): Promise<void> {
  const { seed, at, frozen, set } = options
  const clock = { ...(at && { at: at.toISOString() }), speed: 0 }
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

/** @throws {Refusal} For a file that cannot be read; the sandbox reports errors in its contents. */
async function seedIn(path: string): Promise<Seed> {
  try {
    return parse(await readFile(path, 'utf8')) as Seed
  } catch (error) {
    throw new Refusal(`--seed ${path}: ${(error as Error).message}`)
  }
}

async function reset(session: Session, options: { readonly all?: boolean } & Yes): Promise<void> {
  const { world, out, target } = session
  const { all = false } = options
  await requireYes(
    session,
    options,
    all
      ? 'This resets all worlds of the sandbox'
      : `This resets the world of ${target.username}${contents(await world.show())}`,
  )
  await (all ? adminOf(session) : world).reset()
  const what = all ? 'all worlds' : `the world of ${target.username}`
  out.say(`reset ${what}`, { kind: 'reset', all })
}

/** Returns ` with 3 transactions and 12 requests`, to identify the world in a confirmation. */
const contents = ({ transactions, requests }: WorldView) =>
  ` with ${counted(transactions, 'transaction')} and ${counted(requests, 'request')}`

async function remove(session: Session, id: string, options: Yes): Promise<void> {
  const { world, out } = session
  const shown = await world.worlds.show(id).catch(async (error: unknown) => {
    unlessUnknown(error)
    const ids = (await world.worlds.list()).filter(({ name }) => name === id).map((each) => each.id)
    if (ids.length === 0) throw error
    throw new Refusal(`worlds delete takes an id: ${ids.join(' or ')} has the name ${id}`)
  })
  await requireYes(session, options, `This deletes the world ${shown.id}${contents(shown)}`)
  await world.worlds.delete(id)
  out.say(`deleted ${id}`, { kind: 'removed', world: id })
}

async function listKeys({ world, out }: Session): Promise<void> {
  for (const key of await world.apiKeys.list()) out.say(lineOf(key), { kind: 'key', ...key })
}

function lineOf({ username, user_id, default_account_id, name, expires_at, revoked_at }: ApiKey): string {
  const ends =
    revoked_at === null ? (expires_at === undefined ? '' : `until ${expires_at}`) : `revoked ${revoked_at}`
  return [username, name, `user ${user_id}, Team ${default_account_id}`, ends].filter(Boolean).join('  ')
}

async function makeKey({ world, out }: Session, { name, expiresIn, set }: KeyOptions): Promise<void> {
  const body = { name, expires_in: expiresIn, ...set } as NewApiKey
  const key = await world.apiKeys.create(body)
  out.say(`${key.username}:${key.password}`, { kind: 'key', ...key })
}

async function revokeKey(session: Session, username: string, options: Yes): Promise<void> {
  const { world, out } = session
  await requireYes(session, options, `This revokes the key ${username}`)
  await world.apiKeys.revoke(username)
  out.say(`revoked ${username}`, { kind: 'revoked', username })
}
