import { Command } from '@commander-js/extra-typings'
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { Refusal, unlessUnknown } from './failures.ts'
import { type End, readTime, setOption, yesOption } from './options.ts'
import { painter } from './output.ts'
import type { Process } from './process.ts'
import { worldCommand, requireYes, type Session } from './world-command.ts'
import type { ApiKey, NewApiKey, Seed, WorldSettingsChange, WorldView } from '../client/types.ts'

export function worldsCommand(io: Process, end: End) {
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
    async (session, search, { all }) => {
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
    },
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
    async ({ world, out }, name, { seed, at, frozen, set }) => {
      const clock = { ...(at && { at: at.toISOString() }), speed: 0 }
      const made = await world.call('createWorld', {
        body: {
          name,
          seed: seed === undefined ? undefined : await seedIn(seed),
          settings: set as WorldSettingsChange | undefined,
          ...((frozen || at) && { clock }),
        },
      })
      const { credentials, base_url, inbox_url, signing_secret } = made
      const bold = painter(out.colours)
      out.say(`world    ${bold('bold', made.world.id)}`, { kind: 'world', ...made })
      out.say(`key      ${credentials.username}:${credentials.password}`)
      out.say(`address  ${base_url}`)
      out.say(`inbox    ${inbox_url}`)
      out.say(`secret   ${signing_secret}`)
    },
  )
  asks(
    worlds
      .command('reset')
      .description('Restore the initial state of the world of the key. Pending jobs are dropped.')
      .option('--all', 'all worlds of the sandbox')
      .addOption(yesOption()),
    async (session, options) => {
      const { world, out, target } = session
      const { all = false } = options
      const what = all ? 'all worlds' : `the world of ${target.username}`
      const size = all ? ' of the sandbox' : contents(await world.show())
      await requireYes(session, options, `This resets ${what}${size}`)
      await (all ? adminOf(session) : world).reset()
      out.say(`reset ${what}`, { kind: 'reset', all })
    },
  )
  asks(
    worlds
      .command('delete')
      .description('Delete a world.')
      .argument('<world>', 'its id, or current for the world of the key')
      .addOption(yesOption()),
    async (session, id, options) => {
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
    },
  )
  const keys = worlds.command('keys').description('Manage the API keys of a world.')
  asks(keys.command('list').description('List the keys, without passwords.'), async ({ world, out }) => {
    for (const key of await world.apiKeys.list()) out.say(lineOf(key), { kind: 'key', ...key })
  })
  asks(
    keys
      .command('create')
      .description('Create a key, and print its password, which cannot be shown again.')
      .option('--name <text>', 'its purpose')
      .option('--expires-in <duration>', 'such as 30d (default: never)')
      .addOption(setOption('its user, Team or role: user_id=2, account_id=63 or role_id=4; repeatable')),
    async ({ world, out }, { name, expiresIn, set }) => {
      const key = await world.apiKeys.create({ name, expires_in: expiresIn, ...set } as NewApiKey)
      out.say(`${key.username}:${key.password}`, { kind: 'key', ...key })
    },
  )
  asks(
    keys
      .command('revoke')
      .description('Revoke a key. The sandbox then rejects requests with it.')
      .argument('<username>')
      .addOption(yesOption()),
    async (session, username, options) => {
      await requireYes(session, options, `This revokes the key ${username}`)
      await session.world.apiKeys.revoke(username)
      session.out.say(`revoked ${username}`, { kind: 'revoked', username })
    },
  )
  return worlds
}

const adminOf = ({ io, world }: Session) => world.admin(io.env['SANDBOX_ADMIN_TOKEN'] || undefined)

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

async function listAll(session: Session, prefix: string | undefined): Promise<void> {
  const { out } = session
  for (let after: string | null | undefined; after !== null;) {
    const page = await adminOf(session).worlds({ prefix, after })
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

/** @throws {Refusal} For a file that cannot be read; the sandbox reports errors in its contents. */
async function seedIn(path: string): Promise<Seed> {
  try {
    return parse(await readFile(path, 'utf8')) as Seed
  } catch (error) {
    throw new Refusal(`--seed ${path}: ${(error as Error).message}`)
  }
}

/** Returns ` with 3 transactions and 12 requests`, to identify the world in a confirmation. */
const contents = ({ transactions, requests }: WorldView) =>
  ` with ${counted(transactions, 'transaction')} and ${counted(requests, 'request')}`

function lineOf({ username, user_id, default_account_id, name, expires_at, revoked_at }: ApiKey): string {
  const ends =
    revoked_at === null ? (expires_at === undefined ? '' : `until ${expires_at}`) : `revoked ${revoked_at}`
  return [username, name, `user ${user_id}, Team ${default_account_id}`, ends].filter(Boolean).join('  ')
}
