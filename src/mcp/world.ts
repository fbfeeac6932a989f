import * as z from 'zod'
import type { Clock, Steered, Team } from '../client/types.ts'
import {
  ADDS,
  described,
  DESTROYS,
  duration,
  listOf,
  LOOKS,
  reference,
  SETS,
  tool,
  ToolError,
} from './tool.ts'

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

/** Things done that are told one by one. */
const SHOWN = 20

/** The world's time. */
export const clock = tool({
  name: 'clock',
  title: 'Freeze, move or show the clock',
  description:
    'Every world has its own time. show tells it and what is due next; freeze stops it; resume lets it run; speed lets it run faster; advance moves it on by a duration or to a time and runs what falls due on the way: time-outs, retries, late results, the day’s limits.',
  input: z.strictObject({
    action: z.enum(['show', 'freeze', 'resume', 'speed', 'advance']),
    by: duration.optional().describe('For advance: a duration such as 90s, 2h or 3d.'),
    to: z.string().max(40).optional().describe('For advance: a time as ISO 8601.'),
    factor: z.number().optional().describe('For speed: 60 is an hour a minute.'),
  }),
  output: z.object({
    clock: described('Its time, whether it stands still, its speed, and what is due next.'),
    ran: listOf('What was done on the way.'),
  }),
  hints: ADDS,
  async run(world, { action, by, to, factor }) {
    if (action === 'advance') {
      if ((by ?? to) === undefined)
        throw new ToolError('advance needs by (a duration such as 72h) or to (a time)')
      return steered(await world.clock.advance((by ?? to)!))
    }
    if (action === 'speed') {
      if (factor === undefined) throw new ToolError('speed needs a factor, such as 60 for an hour a minute')
      await world.clock.speed(factor)
    } else if (action !== 'show') await world.clock[action]()
    const shown = await world.clock.show()
    return { text: clockLine(shown), facts: { clock: shown, ran: [] } }
  },
})

function clockLine({ now, frozen, speed, scheduled, next }: Clock): string {
  const pace = frozen ? 'stands still' : speed === 1 ? 'runs' : `runs ${speed} times as fast`
  return `It is ${now} in this world; the clock ${pace}. ${next ? `${scheduled} things are due, next ${next.kind} at ${next.due_at}.` : 'Nothing is due.'}`
}

function steered({ clock: now, ran, ran_count, complete }: Steered) {
  const lines = ran.slice(-SHOWN).map((each) => `${each.due_at} ${each.kind}: ${each.result}`)
  return {
    text: [
      `${ran_count} things were done.`,
      ...lines,
      complete ? '' : 'There is more to do: call it again.',
      clockLine(now),
    ]
      .filter(Boolean)
      .join('\n'),
    facts: { clock: now, ran: ran.slice(-SHOWN) },
  }
}

/** What is owed, done. */
export const settle = tool({
  name: 'settle',
  title: 'Let payments end',
  description:
    'Runs the world until nothing is owed, retries of callbacks included: payments end, callbacks are sent. With a reference and an outcome it ends that one payment as its provider would. The clock moves on as far as needed.',
  input: z.strictObject({
    within: duration
      .optional()
      .describe('How far the clock may go, such as 10m; as far as needed when left out.'),
    reference: reference.optional().describe('One payment to end; needs an outcome.'),
    outcome: z.enum(['success', 'failed', 'reversed']).optional().describe('How that payment is to end.'),
    reason: z.string().max(64).optional().describe('Why it fails, such as cancelled or insufficient_funds.'),
  }),
  output: z.object({
    clock: described('Its time afterwards.'),
    ran: listOf('What was done on the way.'),
    transaction: described('The payment that was ended; null when none was named.').nullable(),
  }),
  hints: ADDS,
  async run(world, { within, reference: one, outcome, reason }) {
    if ((one === undefined) !== (outcome === undefined))
      throw new ToolError('reference and outcome belong together: which payment, and how it is to end')
    const ended =
      one === undefined
        ? null
        : await world.transactions.simulate(one, {
            outcome: outcome!,
            ...(reason && { reason: reason as 'cancelled' }),
          })
    const { text, facts } = steered(await world.settle(within === undefined ? {} : { within }))
    return { text, facts: { ...facts, transaction: ended } }
  },
})

/** Teams of one answer. */
const MOST = 50

/** What Teams have and may do. */
export const balances = tool({
  name: 'balances',
  title: 'Show Teams, wallets and limits',
  description:
    'Shows the Teams (accounts) with what is in each wallet, the KYC tier, limits and what is used of them, costs and payment channels. The ids are account_id and channel_id of requests.',
  input: z.strictObject({
    account_id: z.int().min(1).optional().describe('One Team.'),
    search: z.string().max(100).optional().describe('A part of the name.'),
  }),
  output: z.object({ teams: listOf('By their id.') }),
  hints: LOOKS,
  async run(world, { account_id, search }) {
    const teams =
      account_id === undefined
        ? (await world.call('listTeams', { query: { search, limit: MOST } })).teams
        : [(await world.teams.get(account_id)).team]
    return { text: teams.map(lineOf).join('\n') || 'No Team is like this.', facts: { teams } }
  },
})

function lineOf({ id, name, kyc_tier, wallets, channels }: Team): string {
  const held = wallets.map(({ wallet, balance }) => `${wallet} ${balance.currency} ${balance.amount}`)
  const routes = channels.map((each) => `${each.id}${each.is_active ? '' : ' (not active)'}`)
  return `Team ${id} ${name}, KYC tier ${kyc_tier}: ${held.join(', ')}${routes.length > 0 ? `; channels ${routes.join(', ')}` : ''}`
}

/** Money from outside. */
export const fund = tool({
  name: 'fund',
  title: 'Put money into a wallet',
  description:
    'Puts money from outside into a wallet of a Team, for a pay-out that is refused for want of it.',
  input: z.strictObject({
    account_id: z.int().min(1).describe('The Team.'),
    amount: z.number().positive().describe('In units of the currency: 1000 is KES 1,000.00.'),
    wallet: z
      .enum(['wallet', 'service_wallet'])
      .default('wallet')
      .describe('wallet pays out; service_wallet pays the costs of channel collections.'),
    currency: z.string().max(3).optional().describe('Such as KES; that of the Team when left out.'),
  }),
  output: z.object({ funded: described('What was put where, and the balance now.') }),
  hints: ADDS,
  async run(world, { account_id, ...money }) {
    const funded = await world.fund(account_id, money)
    return {
      text: `The ${funded.wallet} of Team ${funded.account_id} holds ${funded.currency} ${funded.balance} now.`,
      facts: { funded },
    }
  },
})
