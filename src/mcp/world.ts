import * as z from 'zod'
import type { Clock, Steered, Team } from '../client/types.ts'
import { ADDS, DESTROYS, duration, LOOKS, reference, SETS, summary, tool, ToolError } from './tool.ts'

export const world = tool({
  name: 'world',
  description:
    'Shows the world of these credentials: time, settings, contents and role of the API key. With settings it changes them: payer (automatic, manual), settle_after, signatures, retry_profile, callback_timeout, realism, …; the operation updateWorld has all.',
  input: z.strictObject({
    settings: z.record(z.string(), z.unknown()).optional().describe('Such as {"payer": "manual"}.'),
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
  description:
    'Takes, lists or restores snapshots of the world, or resets it to its initial state. restore and reset discard all later payments, callbacks and scenarios.',
  input: z.strictObject({
    action: z.enum(['snapshot', 'list', 'restore', 'reset']),
    name: z.string().max(100).optional().describe('For snapshot.'),
    id: z.int().min(1).optional().describe('For restore: from list.'),
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
  description:
    'The clock of the world. show returns the time and the next due job; freeze, resume and speed change its pace; advance moves it and runs all jobs that become due: time-outs, retries, late results. Daily limits follow it.',
  input: z.strictObject({
    action: z.enum(['show', 'freeze', 'resume', 'speed', 'advance']).default('show'),
    by: duration.optional().describe('For advance: such as 90s, 2h or 3d.'),
    to: z.string().max(40).optional().describe('For advance: ISO 8601.'),
    speed: z.number().optional().describe('For speed: 60 for an hour per minute.'),
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
    text: summary(
      `${job_count} jobs ran.`,
      ...lines,
      complete ? '' : 'More jobs are pending: call it again.',
      clockLine(now),
    ),
    facts: { clock: now, jobs: ran.slice(-SHOWN) },
  }
}

export const settle = tool({
  name: 'settle',
  description:
    'Runs all pending jobs, moving the clock: payments end, callbacks are sent and retried. With reference and outcome it first ends this payment as its provider would.',
  input: z.strictObject({
    within: duration.optional().describe('How far the clock may move, such as 10m.'),
    reference: reference.optional().describe('One payment; needs outcome.'),
    outcome: z.enum(['success', 'failed', 'reversed']).optional(),
    reason: z.string().max(64).optional().describe('Why it fails, such as cancelled.'),
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
  description:
    'Shows the Teams (account_id) with wallet balances, KYC tier, limits and their use, costs and payment channels (channel_id).',
  input: z.strictObject({
    account_id: z.int().min(1).optional(),
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
  description: 'Adds money to a wallet of a Team, for example for a payout that lacked funds.',
  input: z.strictObject({
    account_id: z.int().min(1),
    amount: z.number().positive().describe('1000 is KES 1,000.00.'),
    wallet: z
      .enum(['wallet', 'service_wallet'])
      .default('wallet')
      .describe('service_wallet pays the costs of channel collections.'),
    currency: z.string().max(3).optional().describe('By default that of the Team.'),
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
