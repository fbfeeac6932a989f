import * as z from 'zod'
import type { Clock, Steered, Team } from '../client/types.ts'
import { ADDS, DESTROYS, duration, LOOKS, reference, SETS, tool, ToolError } from './tool.ts'

export const world = tool({
  name: 'world',
  title: 'Show or set up the world',
  description:
    'Shows the world of these credentials: its time, settings, contents and the role of the API key. With settings it changes them: payer (automatic, manual), settle_after, signatures, retry_profile, callback_timeout, callback_shape, validation (documented, lenient), realism (plain, realistic, field), … See the operation updateWorld for all settings.',
  input: z.strictObject({
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The settings to change, such as {"payer": "manual"}.'),
  }),
  hints: SETS,
  async run(client, { settings }) {
    const shown = settings === undefined ? await client.show() : await client.configure(settings)
    const { id, clock, transactions, pending_jobs, key, settings: now } = shown
    return {
      text: `World ${id}${key ? `, as ${key.username} (${key.role})` : ''}: ${clock.now}, ${transactions} payments, ${pending_jobs} pending jobs. Payer ${now.payer}, signatures ${now.signatures}, settles after ${now.settle_after}.`,
      facts: { world: shown },
    }
  },
})

export const rewind = tool({
  name: 'rewind',
  title: 'Take a snapshot, go back, or reset',
  description:
    'Takes a snapshot of the world (snapshot), lists the snapshots (list), restores one (restore), or resets the world to its initial state (reset). restore and reset discard all later payments, callbacks and scenarios.',
  input: z.strictObject({
    action: z.enum(['snapshot', 'list', 'restore', 'reset']),
    name: z.string().max(100).optional().describe('For snapshot: its name.'),
    id: z.int().min(1).optional().describe('For restore: the id of the snapshot from list.'),
  }),
  hints: DESTROYS,
  async run(client, { action, name, id }) {
    if (action === 'snapshot') await client.snapshots.take(name)
    if (action === 'reset') await client.reset()
    if (action === 'restore') {
      if (id === undefined) throw new ToolError('restore needs the id of a snapshot from list')
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
  snapshot: 'The snapshot is complete.',
  list: 'Nothing was changed.',
  restore: 'The snapshot was restored.',
  reset: 'The world was reset.',
}

/** Maximum number of completed jobs in a result. */
const SHOWN = 20

export const clock = tool({
  name: 'clock',
  title: 'Freeze, move or show the clock',
  description:
    'Every world has its own clock. show returns the time and the next due job; freeze stops the clock; resume lets it run; speed makes it run faster; advance moves it by a duration or to a time and runs all jobs that become due: time-outs, retries, late results. Daily limits follow the clock.',
  input: z.strictObject({
    action: z.enum(['show', 'freeze', 'resume', 'speed', 'advance']),
    by: duration.optional().describe('For advance: a duration such as 90s, 2h or 3d.'),
    to: z.string().max(40).optional().describe('For advance: a time as ISO 8601.'),
    speed: z.number().optional().describe('For speed: 60 lets an hour pass in a minute.'),
  }),
  hints: ADDS,
  async run(world, { action, by, to, speed: factor }) {
    if (action === 'advance') {
      if ((by ?? to) === undefined)
        throw new ToolError('advance needs by (a duration such as 72h) or to (a time)')
      return steered(await world.clock.advance((by ?? to)!))
    }
    if (action === 'speed') {
      if (factor === undefined)
        throw new ToolError('speed needs a factor, such as 60 to let an hour pass in a minute')
      await world.clock.speed(factor)
    } else if (action !== 'show') await world.clock[action]()
    const shown = await world.clock.show()
    return { text: clockLine(shown), facts: { clock: shown, jobs: [] } }
  },
})

function clockLine({ now, frozen, speed, scheduled, next }: Clock): string {
  const pace = frozen ? 'is frozen' : speed === 1 ? 'runs' : `runs ${speed} times as fast`
  return `It is ${now} in this world; the clock ${pace}. ${next ? `${scheduled} jobs are pending, next ${next.kind} at ${next.due_at}.` : 'No jobs are pending.'}`
}

function steered({ clock: now, jobs: ran, job_count, complete }: Steered) {
  const lines = ran.slice(-SHOWN).map((each) => `${each.due_at} ${each.kind}: ${each.result}`)
  return {
    text: [
      `${job_count} jobs ran.`,
      ...lines,
      complete ? '' : 'More jobs are pending: call it again.',
      clockLine(now),
    ]
      .filter(Boolean)
      .join('\n'),
    facts: { clock: now, jobs: ran.slice(-SHOWN) },
  }
}

export const settle = tool({
  name: 'settle',
  title: 'Let payments end',
  description:
    'Runs all pending jobs: payments end, and callbacks are sent with their retries. With a reference and an outcome it ends this payment as its provider would. The clock advances as far as needed.',
  input: z.strictObject({
    within: duration
      .optional()
      .describe('How far the clock may advance, such as 10m; without a limit by default.'),
    reference: reference.optional().describe('One payment to end; needs an outcome.'),
    outcome: z.enum(['success', 'failed', 'reversed']).optional().describe('The result of that payment.'),
    reason: z.string().max(64).optional().describe('Why it fails, such as cancelled or insufficient_funds.'),
  }),
  hints: ADDS,
  async run(world, { within, reference: one, outcome, reason }) {
    if ((one === undefined) !== (outcome === undefined))
      throw new ToolError('reference and outcome must be used together')
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

/** Maximum number of Teams in a result. */
const MOST = 50

export const balances = tool({
  name: 'balances',
  title: 'Show Teams, wallets and limits',
  description:
    'Shows the Teams (accounts) with their wallet balances, KYC tier, limits and their use, costs and payment channels. Requests refer to the ids as account_id and channel_id.',
  input: z.strictObject({
    account_id: z.int().min(1).optional().describe('One Team.'),
    search: z.string().max(100).optional().describe('Part of the name.'),
  }),
  hints: LOOKS,
  async run(world, { account_id, search }) {
    const teams =
      account_id === undefined
        ? (await world.call('listTeams', { query: { search, limit: MOST } })).teams
        : [(await world.teams.get(account_id)).team]
    return { text: teams.map(lineOf).join('\n') || 'No matching Teams.', facts: { teams } }
  },
})

function lineOf({ id, name, kyc_tier, wallets, channels }: Team): string {
  const held = wallets.map(({ wallet, balance }) => `${wallet} ${balance.currency} ${balance.amount}`)
  const routes = channels.map((each) => `${each.id}${each.is_active ? '' : ' (not active)'}`)
  return `Team ${id} ${name}, KYC tier ${kyc_tier}: ${held.join(', ')}${routes.length > 0 ? `; channels ${routes.join(', ')}` : ''}`
}

export const fund = tool({
  name: 'fund',
  title: 'Put money into a wallet',
  description:
    'Adds money to a wallet of a Team, for example for a payout that was rejected because of insufficient funds.',
  input: z.strictObject({
    account_id: z.int().min(1).describe('The Team.'),
    amount: z.number().positive().describe('In units of the currency: 1000 is KES 1,000.00.'),
    wallet: z
      .enum(['wallet', 'service_wallet'])
      .default('wallet')
      .describe('wallet pays out; service_wallet pays the costs of channel collections.'),
    currency: z.string().max(3).optional().describe('Such as KES; by default the currency of the Team.'),
  }),
  hints: ADDS,
  async run(world, { account_id, ...money }) {
    const funded = await world.fund(account_id, money)
    return {
      text: `The ${funded.wallet} of Team ${funded.account_id} now holds ${funded.currency} ${funded.balance}.`,
      facts: { funded },
    }
  },
})
