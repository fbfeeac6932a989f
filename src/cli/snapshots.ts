import { Command } from '@commander-js/extra-typings'
import { Refusal } from './failures.ts'
import { type End, yesOption } from './options.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'
import { requireYes, type Session, worldCommand } from './world-command.ts'
import type { Snapshot } from '../client/types.ts'

export function snapshotsCommand(io: Process, end: End) {
  const asks = worldCommand(io, end)
  const snapshots = new Command('snapshots').description(
    'Save and restore the data, pending jobs, settings and clock of a world.',
  )
  asks(
    snapshots
      .command('take')
      .description('Save the current state.')
      .argument('[name]', 'its name (default: the time)'),
    async ({ world, out }, name) => {
      const taken = await world.snapshots.take(name)
      out.say(lineOf(taken), { kind: 'snapshot', ...taken })
    },
  )
  asks(snapshots.command('list').description('List the snapshots of the world.'), async ({ world, out }) => {
    const all = await world.snapshots.list()
    if (all.length === 0) out.say('no snapshots')
    for (const each of all) out.say(lineOf(each), { kind: 'snapshot', ...each })
  })
  const named = (command: Command) =>
    command.argument('<snapshot>', 'its number or name').addOption(yesOption())
  asks(
    named(snapshots.command('restore').description('Return to a snapshot. Later data is lost.')),
    async (session, given, options) => {
      const { world, out, target } = session
      const found = await snapshotOf(session, given)
      await requireYes(session, options, `This returns the world of ${target.username} to ${found.taken_at}`)
      await world.snapshots.restore(found)
      out.say(`restored ${lineOf(found)}`, { ...found, kind: 'restored' })
    },
  )
  asks(
    named(snapshots.command('delete').description('Delete a snapshot.')),
    async (session, given, options) => {
      const { world, out } = session
      const found = await snapshotOf(session, given)
      await requireYes(session, options, `This deletes the snapshot ${lineOf(found)}`)
      await world.snapshots.delete(found)
      out.say(`deleted ${found.id}`, { ...found, kind: 'removed' })
    },
  )
  return snapshots
}

const lineOf = ({ id, name, taken_at, rows }: Snapshot) => `${id}  ${name}  ${taken_at}  ${rows} rows`

/** @throws {Refusal} If no snapshot has this number or name, or several have the name. */
async function snapshotOf({ world }: Session, given: string): Promise<Snapshot> {
  const all = await world.snapshots.list()
  const byId = all.find(({ id }) => String(id) === given)
  const [found, ...others] = byId ? [byId] : all.filter(({ name }) => name === given)
  if (found && others.length === 0) return found
  const ids = [found, ...others].map((each) => each?.id).join(' or ')
  if (found) throw new Refusal(`several snapshots have the name ${given}: pass ${ids}`, exitCodes.usage)
  const known = all.length === 0 ? 'there are none' : `there are ${all.map(({ id }) => id).join(', ')}`
  throw new Refusal(
    `there is no snapshot ${given} in this world; ${known}`,
    exitCodes.no,
    'resource_not_found',
  )
}
