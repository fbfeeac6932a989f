import { defaultTiers } from '../service/domain/wallets.ts'
import { allows, OWNER, VIEWER } from '../service/domain/access.ts'
import type { Seed, SeedKey, SeedTeam } from '../generated/control/types.ts'

/** What new users see about the default world. */
export interface Guide {
  readonly username: string
  /** Undefined if the password is secret. */
  readonly password: string | undefined
  /** The source of a secret password. */
  readonly passwordFrom: 'SANDBOX_API_PASSWORD' | 'the seed file'
  /** A line about the Teams. */
  readonly teams: string
  /** A Team that can collect into its wallet. */
  readonly collector: SeedTeam | undefined
  /** Public credentials that may only read. */
  readonly reader: string | undefined
}

/** The documented passwords. All others are secret. */
const PUBLIC = { owner: 'demo', reader: 'viewer' }
/** Maximum number of Teams in the guide. */
const SHOWN = 3

export function guideOf(seed: Seed, passwordFrom: Guide['passwordFrom']): Guide {
  const { username, password, user_id } = keyToShow(seed)
  const tiers = seed.tiers ?? defaultTiers
  const collector = seed.teams.find(
    ({ currency, kyc_tier, members }) =>
      currency === 'KES' &&
      tiers[kyc_tier]?.wallet_collections_allowed &&
      allows(members[user_id] ?? VIEWER, 'move_money'),
  )
  const reader = seed.api_keys.find((key) => key.password === PUBLIC.reader && onlyReads(seed, key))
  return {
    username,
    password: password === PUBLIC.owner ? password : undefined,
    passwordFrom,
    teams: teamsLine(seed),
    collector,
    reader: reader && `${reader.username}:${reader.password}`,
  }
}

/** Returns a key of the owner of the first Team, or else the first key. */
function keyToShow({ api_keys, teams }: Seed): SeedKey {
  const [first] = teams
  return api_keys.find(({ user_id }) => first?.members[user_id] === OWNER) ?? api_keys[0]!
}

const onlyReads = ({ teams, users }: Seed, { user_id }: SeedKey) =>
  !users.some((user) => user.id === user_id && user.is_admin) &&
  teams.every(({ members }) => !allows(members[user_id] ?? VIEWER, 'move_money'))

function teamsLine({ teams, channels = [] }: Seed): string {
  const lines = teams.slice(0, SHOWN).map(({ id, currency, wallet }) => {
    const held = wallet?.[currency]
    const ids = channels.filter(({ account_id }) => account_id === id).map((channel) => channel.id)
    return `${id} ${currency}${held ? ` ${money(held)}` : ', empty'}${channelsOf(ids)}`
  })
  const more = teams.length - lines.length
  return lines.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

function channelsOf(ids: readonly number[]): string {
  if (ids.length === 0) return ''
  if (ids.length === 1) return `, channel ${ids[0]}`
  const inRow = ids.every((id, n) => id === ids[0]! + n)
  return inRow ? `, channels ${ids[0]} to ${ids.at(-1)}` : `, ${ids.length} channels`
}

/** `100,000.00` */
export const money = (amount: number) => amount.toFixed(2).replace(/\B(?=(\d{3})+\b)/g, ',')
