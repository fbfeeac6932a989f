import { Command } from 'commander'
import { asking } from './asking.ts'
import type { End } from './commands.ts'
import { setOption } from './fields.ts'
import { readTime, yesOption } from './options.ts'
import type { Process } from './process.ts'
import type { KeyOptions, MakeOptions, Yes } from './worlds.ts'

/** `worlds list|make|reset|remove|keys`, for the owner of a world; with `--all` for the operator of the sandbox. */
export function worldsCommand(io: Process, end: End): Command {
  const asks = asking(io, end)
  const worlds = new Command('worlds')
    .summary('list, make, reset and remove worlds and their keys')
    .description(
      'The worlds of the user. With --all those of everybody, for whoever runs the sandbox: SANDBOX_ADMIN_TOKEN has the token where there is one.',
    )
  asks(
    worlds
      .command('list')
      .description('List the world of the key and those that it made, oldest first.')
      .argument('[search]', 'a part of the name or the id; with --all how it begins')
      .option('--all', 'the worlds of everybody, those that were called last first'),
    async (session, search: string | undefined, { all }: { all?: boolean }) =>
      (await actions()).list(session, search, all),
  )
  asks(
    worlds
      .command('make')
      .alias('create')
      .description('Make a world of its own, and print its credentials.')
      .argument('[name]', 'what people call it')
      .option('--seed <file>', 'what is in it, a seed file in YAML or JSON')
      .option('--at <time>', 'when its clock begins; it stands still then', readTime)
      .option('--frozen', 'its clock stands still')
      .addOption(setOption('a setting, such as payer=by_hand; again for more')),
    async (session, name: string | undefined, options: MakeOptions) =>
      (await actions()).make(session, name, options),
  )
  asks(
    worlds
      .command('reset')
      .description('Put the world of the key back to its beginning. What was owed is not done.')
      .option('--all', 'all worlds of the sandbox')
      .addOption(yesOption()),
    async (session, options: { all?: boolean } & Yes) => (await actions()).reset(session, options),
  )
  asks(
    worlds
      .command('remove')
      .alias('delete')
      .description('Delete a world with everything in it.')
      .argument('<world>', 'its id; current is that of the key')
      .addOption(yesOption()),
    async (session, world: string, options: Yes) => (await actions()).remove(session, world, options),
  )
  const keys = worlds.command('keys').description('The API keys of a world.')
  asks(keys.command('list').description('List them, without their passwords.'), async (session) =>
    (await actions()).listKeys(session),
  )
  asks(
    keys
      .command('make')
      .alias('create')
      .description('Make one, and print its password, which is shown this once.')
      .option('--name <text>', 'what it is for')
      .option('--expires-in <duration>', 'such as 30d (default: never)')
      .addOption(
        setOption(
          'whose it is and what it may, such as user_id=2, account_id=63 or role_id=4; again for more',
        ),
      ),
    async (session, options: KeyOptions) => (await actions()).makeKey(session, options),
  )
  asks(
    keys
      .command('revoke')
      .alias('delete')
      .description('Revoke a key: requests with it are refused from then on.')
      .argument('<username>')
      .addOption(yesOption()),
    async (session, username: string, options: Yes) =>
      (await actions()).revokeKey(session, username, options),
  )
  return worlds
}

const actions = () => import('./worlds.ts')
