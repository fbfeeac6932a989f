import * as z from 'zod'
import type { Team } from '../../client/types.ts'
import { listOf, described } from '../fields.ts'
import { ADDS, LOOKS, tool } from '../tool.ts'

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
