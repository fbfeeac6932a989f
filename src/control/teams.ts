import { handlers, moneyView, cut } from './page.ts'
import type { Team, TeamCost, TeamLimits, TeamMember, TeamWallet } from '../generated/control/schemas.ts'
import { OWNER, roleName } from '../service/domain/access.ts'
import type { Look } from '../service/domain/context.ts'
import { notFound } from '../service/domain/errors.ts'
import { balanceOf, type Pot, teamAccount } from '../service/domain/ledger.ts'
import { allowanceOf } from '../service/domain/limits.ts'
import { currencies, fromShillings } from '../service/domain/money.ts'
import { seesTeams, visibleTeams } from '../service/domain/visible.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import { channelView } from '../service/operations/views.ts'
import type { RoleRow, TeamRow, UserRow } from '../storage/store/rows.ts'

export const teams = handlers({
  async listTeams({ world, caller, request }) {
    const { search = '', before = Infinity, limit = 100 } = request.query
    const sought = search.toLowerCase()
    const body = await world.read((look) => {
      const all = visibleTeams(look, caller)
      const { rows, next_before } = cut(
        all.filter((team) => team.id < before && isCalled(team, sought)),
        limit,
      )
      return { teams: rows.map((team) => teamView(look, team)), next_before }
    })
    return { status: 200, body }
  },

  async getTeam({ world, caller, request }) {
    const { id } = request.path
    const body = await world.read((look) => {
      const team = look.rows.get('teams', id)
      if (!team || !seesTeams(look, caller)(id)) throw notFound('account_id', id)
      return { team: teamView(look, team), members: membersOf(look, team) }
    })
    return { status: 200, body }
  },
})

/** @param sought in lower case */
const isCalled = ({ name, uuid, email }: TeamRow, sought: string): boolean =>
  sought === '' || `${name}\n${uuid}\n${email}`.toLowerCase().includes(sought)

/** How many payment channels of a Team are shown with it, and how many members. */
const MOST_CHANNELS = 100
const MOST_MEMBERS = 1_000

/** A Team in one piece. */
function teamView(look: Look, team: TeamRow): Team {
  const { rows } = look
  const { id, currency } = team
  const roles = rows.find('roles', 'account', id)
  const owner = roles.find(({ role_id }) => role_id === OWNER)
  const user = owner && rows.get('users', owner.user_id)
  const page = { offset: 0, limit: MOST_CHANNELS, newestFirst: true }
  return {
    id,
    uuid: team.uuid,
    name: team.name,
    description: team.description,
    status: team.status,
    organization: {
      id: team.organization_id,
      name: rows.get('organizations', team.organization_id)?.name ?? '',
    },
    country: team.country,
    currency,
    number: team.number,
    email: team.email,
    owner: user ? { user_id: user.id, name: nameOf(user), email: user.email } : null,
    members: roles.length,
    kyc_tier: team.kyc_tier,
    kyc_verified: team.kyc_verified,
    wallets: walletsOf(look, team),
    limits: limitsOf(look, team),
    costs: costsOf(look, currency),
    channels: rows.walk('channels', 'activity', id, page).map(channelView),
    channels_count: rows.count('channels', 'activity', id),
    queued: rows.count('transactions', 'queued', id),
    created_at: wireTime(team.created_at),
    updated_at: wireTime(team.updated_at),
  }
}

/** The members of a Team, in the order in which they came. */
const membersOf = ({ rows }: Look, { id }: TeamRow): TeamMember[] =>
  rows
    .find('roles', 'account', id)
    .slice(0, MOST_MEMBERS)
    .map((role) => memberView(role, rows.get('users', role.user_id)))

const memberView = ({ user_id, role_id }: RoleRow, user: UserRow | undefined): TeamMember => ({
  user_id,
  name: user ? nameOf(user) : '',
  email: user?.email ?? '',
  role_id,
  role: roleName(role_id),
})

const nameOf = ({ first_name, last_name }: UserRow) => `${first_name} ${last_name}`.trim()

const pots: readonly Pot[] = ['wallet', 'service_wallet', 'savings', 'in_transit']

/** The pots of a Team that hold something, and those that every Team has. */
function walletsOf(look: Look, team: TeamRow): TeamWallet[] {
  const ownFirst = [team.currency, ...currencies.filter((currency) => currency !== team.currency)]
  return ownFirst.flatMap((currency) =>
    pots.flatMap((wallet) => {
      const account = teamAccount(team.id, wallet, currency)
      const held = balanceOf(look, account)
      const always = currency === team.currency && (wallet === 'wallet' || wallet === 'service_wallet')
      return held === 0 && !always ? [] : [{ account, wallet, currency, balance: moneyView(held, currency) }]
    }),
  )
}

function limitsOf(look: Look, team: TeamRow): TeamLimits {
  const { limits, per_transaction, per_day } = allowanceOf(look, team, team.currency)
  const today = currencies.flatMap((currency) => {
    const { per_day: most, usedToday } = allowanceOf(look, team, currency)
    return (['payin', 'payout'] as const).flatMap((direction) => {
      const used = usedToday(direction)
      if (used === 0 && currency !== team.currency) return []
      const left = Math.max(0, most - used)
      return [{ direction, currency, used: moneyView(used, currency), left: moneyView(left, currency) }]
    })
  })
  return {
    kyc_tier: team.kyc_tier,
    collects_into_wallet: limits.collects_into_wallet,
    pays_out: limits.pays_out,
    per_transaction: moneyView(per_transaction, team.currency),
    per_day: moneyView(per_day, team.currency),
    today,
  }
}

const costsOf = ({ settings }: Look, currency: string): TeamCost[] =>
  settings.costs.map(({ up_to, cost }) => ({
    up_to: Number.isFinite(up_to) ? moneyView(fromShillings(up_to, currency), currency) : null,
    cost: moneyView(fromShillings(cost, currency), currency),
  }))
