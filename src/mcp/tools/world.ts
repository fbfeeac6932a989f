import * as z from 'zod'
import { described, listOf } from '../fields.ts'
import { DESTROYS, SETS, tool, ToolError } from '../tool.ts'

/** The world itself. */
export const world = tool({
  name: 'world',
  title: 'Show or set up the world',
  description:
    'Shows the world of these credentials: its time, settings, how much is in it, the role of the key. With settings it changes those: payer (automatic, by_hand), settle_after, signatures, retry_profile, callback_timeout, callback_shape, validation (documented, lenient), realism (plain, realistic), … The guide worlds has them all.',
  input: z.strictObject({
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What to change, such as {"payer": "by_hand"}; the rest stays.'),
  }),
  output: z.object({ world: described('As it is now.') }),
  hints: SETS,
  async run(client, { settings }) {
    const shown = settings === undefined ? await client.show() : await client.configure(settings)
    const { id, clock, transactions, pending_jobs, key, settings: now } = shown
    return {
      text: `World ${id}${key ? `, as ${key.username} (${key.role})` : ''}: ${clock.now}, ${transactions} payments, ${pending_jobs} things owed. Payer ${now.payer}, signatures ${now.signatures}, settles after ${now.settle_after}.`,
      facts: { world: shown },
    }
  },
})

/** Back to what was. */
export const rewind = tool({
  name: 'rewind',
  title: 'Take a snapshot, go back, or reset',
  description:
    'Keeps the world as it is (snapshot), lists what was kept (list), goes back to it (restore), or to its beginning (reset). restore and reset drop what happened since: payments, callbacks, scenarios.',
  input: z.strictObject({
    action: z.enum(['snapshot', 'list', 'restore', 'reset']),
    name: z.string().max(100).optional().describe('For snapshot: what to call it.'),
    id: z.int().min(1).optional().describe('For restore: the number of the snapshot, as list tells it.'),
  }),
  output: z.object({ snapshots: listOf('Those there are.'), world: described('As it is afterwards.') }),
  hints: DESTROYS,
  async run(client, { action, name, id }) {
    if (action === 'snapshot') await client.snapshots.take(name)
    if (action === 'reset') await client.reset()
    if (action === 'restore') {
      if (id === undefined) throw new ToolError('restore needs the id of a snapshot, as list tells it')
      await client.snapshots.restore(id)
    }
    const [snapshots, shown] = await Promise.all([client.snapshots.list(), client.show()])
    const kept = snapshots.map((each) => `${each.id} ${each.name} (${each.taken_at})`)
    return {
      text: `${done[action]} It has ${shown.transactions} payments. Snapshots: ${kept.join(', ') || 'none'}.`,
      facts: { snapshots, world: shown },
    }
  },
})

const done = {
  snapshot: 'The world was kept as it is.',
  list: 'Nothing was changed.',
  restore: 'The world is as it was then.',
  reset: 'The world is as it began.',
}
