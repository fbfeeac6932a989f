import { cut, handlers, matching, moneyView, MOST_LOOKED_AT, ok, pageOf } from './page.ts'
import type {
  Invite,
  KycDocument,
  KycReview,
  KycSubmission,
  Team,
  TeamCost,
  TeamLimits,
  TeamMember,
  TeamWallet,
} from '../generated/control/types.ts'
import { OWNER, roleName } from '../service/domain/access.ts'
import type { Look } from '../service/domain/context.ts'
import { noneLeft, notFound } from '../service/domain/errors.ts'
import { findKyc, reviewByHand } from '../service/domain/kyc.ts'
import { balanceOf, pots, teamAccount } from '../service/domain/ledger.ts'
import { allowanceOf } from '../service/domain/wallets.ts'
import { chargeOf } from '../service/domain/costs.ts'
import { currencies, fromShillings } from '../service/domain/money.ts'
import { seesTeams, visibleTeams } from '../service/domain/visible.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import { channelView } from '../service/operations/views.ts'
import type { InviteRow, KycRow, RoleRow, TeamRow, UserRow } from '../storage/store/rows.ts'

export const teams = handlers(() => ({
  listTeams: {
    read(look, { caller, request }) {
      const { search = '', before = Infinity, limit = 100 } = request.query
      const sought = search.toLowerCase()
      const all = visibleTeams(look, caller).filter((team) => team.id < before && isCalled(team, sought))
      const { rows, next_before } = cut(all, limit)
      return ok({ teams: rows.map((team) => teamView(look, team)), next_before })
    },
  },

  getTeam: {
    read(look, { caller, request }) {
      const { id } = request.path
      const team = look.rows.get('teams', id)
      if (!team || !seesTeams(look, caller)(id)) throw notFound('account_id', id)
      return ok({ team: teamView(look, team), members: membersOf(look, team) })
    },
  },

  listInvites: {
    read(look, { caller, request }) {
      const { status, account_id, email, before = Infinity, limit = 100 } = request.query
      const isMeant = matching({ status, account_id })
      const sees = seesTeams(look, caller)
      const all = invitesBefore(look, before).filter(
        (row) =>
          isMeant(row) &&
          (email === undefined || row.email.toLowerCase() === email.toLowerCase()) &&
          sees(row.account_id),
      )
      const { rows, next_before } = cut(all, limit)
      return ok({ invites: rows.map((row) => inviteView(look, row)), next_before })
    },
  },

  async listKycReviews({ world, caller, request }) {
    const { status, account_id, before, limit = 50 } = request.query
    const body = await world.readInSlices(async (look) => {
      const sees = seesTeams(look, caller)
      const isMeant = matching({ account_id, ...(status !== 'open' && { status }) })
      const isOpen = (row: KycRow) => row.status === 'pending' || row.status === 'in_review'
      const fits = (row: KycRow) => isMeant(row) && (status !== 'open' || isOpen(row)) && sees(row.account_id)
      const page = { before, limit, most: MOST_LOOKED_AT }
      const { rows, next_before } = await pageOf(look, world.name, 'kycs', page, fits)
      return { kyc: rows.map((row) => reviewView(look, row)), next_before }
    })
    return ok(body)
  },

  getKycReview: {
    read: (look, { caller, request }) => ok(reviewView(look, findKyc(look, caller, request.path.id))),
  },

  reviewKyc: {
    change(tx, { caller, request }) {
      const { status, reasons, ...rest } = request.body
      noneLeft(rest)
      return ok(reviewView(tx, reviewByHand(tx, caller, request.path.id, { status, reasons })))
    },
  },
}))

/** @param sought - in lower case */
const isCalled = ({ name, uuid, email }: TeamRow, sought: string): boolean =>
  sought === '' || `${name}\n${uuid}\n${email}`.toLowerCase().includes(sought)

/** Maximum number of payment channels and of members returned with a Team. */
const MOST_CHANNELS = 100
const MOST_MEMBERS = 1_000

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

/** Returns the accounts that hold money, and those that every Team has. */
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
    wallet_collections_allowed: limits.wallet_collections_allowed,
    payouts_allowed: limits.payouts_allowed,
    per_transaction: moneyView(per_transaction, team.currency),
    per_day: moneyView(per_day, team.currency),
    today,
  }
}

const costsOf = ({ settings }: Look, currency: string): TeamCost[] =>
  settings.costs.map((band) => ({
    up_to: Number.isFinite(band.up_to) ? moneyView(fromShillings(band.up_to, currency), currency) : null,
    cost: moneyView(chargeOf(band, currency), currency),
  }))

/** Reads all invitations older than `before`; a world has few. */
function invitesBefore({ rows }: Look, before: number): readonly InviteRow[] {
  const count = rows.count('invites', 'age', 0)
  const offset =
    before === Infinity ? 0 : count - rows.rank('invites', 'age', 0, { by: before, key: '' }).count
  return rows.walk('invites', 'age', 0, { offset, limit: count, newestFirst: true })
}

const inviteView = ({ rows }: Look, row: InviteRow): Invite => ({
  id: row.id ?? null,
  status: row.status,
  email: row.email,
  phone_number: row.phone_number,
  organization_id: row.organization_id,
  account_id: row.account_id,
  team: rows.get('teams', row.account_id)?.name ?? '',
  role_id: row.role_id,
  role: roleName(row.role_id),
  assigned_account_ids: [...row.assigned_account_ids],
  token: row.token,
  link: row.link,
  created_at: wireTime(row.created_at),
})

function reviewView({ rows, settings }: Look, row: KycRow): KycReview {
  const { id, account_id, status, details, reasons = [], revision, created_at, updated_at } = row
  const { kyc_tier = null, ...submission } = details
  return {
    id,
    account_id,
    team: rows.get('teams', account_id)?.name ?? '',
    status,
    kyc_tier,
    reasons: [...reasons],
    revision,
    submission: submission as KycSubmission,
    documents: [
      ...documentsIn('contact', details.contact_information),
      ...documentsIn('entity', details.entity_information),
    ],
    limits: (kyc_tier === null ? undefined : settings.tiers[kyc_tier]) ?? null,
    created_at: wireTime(created_at),
    updated_at: wireTime(updated_at),
  }
}

/** Lists the files that a part of a submission refers to; cleared ones are skipped. */
function documentsIn(of: KycDocument['of'], part: object | undefined): KycDocument[] {
  const { upload_information: files = {} } = (part ?? {}) as { upload_information?: object | undefined }
  return Object.entries(files).flatMap(([name, url]: [string, unknown]) =>
    typeof url === 'string' && url !== '' ? [{ of, name, url }] : [],
  )
}
