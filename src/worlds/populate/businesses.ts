/** Generates Teams with members, KYC, channels and initial balances, in the way clients create them. */
import type { TimeSlice } from '../../lib/clock/clock.ts'
import { createChannel } from '../../service/domain/channels.ts'
import type { Caller, Tx } from '../../service/domain/context.ts'
import { countryByCode } from '../../service/domain/countries/countries.ts'
import type { Country } from '../../service/domain/countries/country.ts'
import { fundTeam } from '../../service/domain/funding.ts'
import { acceptInvite, declineInvite, inviteMember } from '../../service/domain/members.ts'
import { type Review, reviewKyc, submitKyc } from '../../service/domain/kyc.ts'
import { fromShillings, toMajor } from '../../service/domain/money.ts'
import { createTeam } from '../../service/domain/teams.ts'
import type { People } from '../../lib/random/people.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { type Amounts, type Draw, filled, mobileOf, rounded, type Scratch } from './draw.ts'

/** The countries of the Teams: those that the specification names come first. */
const places = ['KE', 'TZ', 'ZM', 'BW', 'NG', 'KE', 'UG', 'KE', 'GH', 'KE', 'RW', 'KE'] as const

export const countriesOf = (teams: number): readonly string[] => [...places.slice(0, teams), 'KE']

const mailboxes = ['accounts', 'finance', 'info', 'office', 'payments']

/** The KYC results of the Teams. The first ones are approved, so that small worlds can make payments. */
type Standing = 'approved' | 'tier 2' | 'pending' | 'rejected' | 'none'
const standings: readonly Standing[] = [
  'approved',
  'approved',
  'approved',
  'tier 2',
  'approved',
  'pending',
  'approved',
  'rejected',
  'approved',
  'none',
]

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Days in which the Teams join. */
const JOINING = 60

/** @param from - the beginning of the history, milliseconds */
export const joiningFrom = (from: number): number => from - (JOINING + 2) * DAY

interface Makers {
  readonly scratch: Scratch
  readonly draw: Draw
  readonly people: People
  readonly caller: Caller
  readonly slice: TimeSlice
  /** The creation time of the first Team, in milliseconds. */
  readonly from: number
}

/** @returns the ids of the Teams */
export async function makeTeams(makers: Makers, count: number): Promise<readonly number[]> {
  const { scratch, slice, from, draw } = makers
  const ids: number[] = []
  for (let n = 0; n < count; n += 1) {
    if (slice.over) await slice.next()
    // Teams join over two months before the first payments, in office hours.
    const day = Math.floor((JOINING * (n + draw.fraction('joined', n))) / count) - JOINING - 1
    const at = from - (from % DAY) + day * DAY + (6 + 8 * draw.fraction('joined at', n)) * HOUR
    const standing = standings[n % standings.length]!
    ids.push(scratch.change(at, (tx) => makeTeam(makers, tx, n, standing)))
    const reviewed = at + (0.4 + 2 * draw.fraction('reviewed', n)) * HOUR
    scratch.change(Math.round(reviewed), (tx) => endReview(tx, ids[n]!, standing))
  }
  return ids
}

function makeTeam({ draw, people, caller }: Makers, tx: Tx, n: number, standing: Standing): number {
  const country = countryByCode(places[n % places.length]!)!
  const name = people.business(country.code, draw.fraction('business', n))
  const phone = mobileOf(country, draw, 'team phone', n)
  const { id } = createTeam(tx, caller, {
    organization_id: tx.rows.get('users', caller.user_id)!.organization_ids[0]!,
    name,
    description: `${name}, ${country.name}`,
    email: `${draw.one('mailbox', n, mailboxes)}@${slugOf(name)}.example`,
    dial_code: country.dial_code,
    number: phone.slice(country.dial_code.length),
  })
  if (standing !== 'none') apply(tx, { draw, people, caller }, n, id, country, standing)
  fund(tx, caller, id, country)
  if (country.code === 'KE') addChannels(tx, draw, caller, id, n, name)
  return id
}

type Applying = Pick<Makers, 'draw' | 'people' | 'caller'>

function apply(
  tx: Tx,
  { draw, people, caller }: Applying,
  n: number,
  id: number,
  country: Country,
  standing: Standing,
): void {
  const { first_name, last_name } = people.name(country.code, draw.fraction('director', n))
  const highest = tx.settings.tiers.length - 1
  submitKyc(tx, caller, id, {
    entity_type: 'business',
    country_code: country.code,
    country: country.name,
    kyc_tier: Math.max(1, standing === 'tier 2' ? Math.min(2, highest) : highest),
    contact_information: {
      first_name,
      last_name,
      phone_number: mobileOf(country, draw, 'director phone', n),
      identification_type: 'national_id',
      identification_number: Number(
        filled(draw, 'director id', n, country.identity.pattern).replace(/\D/g, '').slice(0, 15),
      ),
    },
  })
}

const approved: Review = { status: 'approved' }
const rejected: Review = { status: 'rejected', reasons: ['The registration certificate is not legible.'] }

function endReview(tx: Tx, team: number, standing: Standing): void {
  const [kyc] = tx.rows.find('kycs', 'account', team)
  if (!kyc || standing === 'pending') return
  reviewKyc(tx, kyc.id, kyc.revision, { status: 'in_review' })
  reviewKyc(tx, kyc.id, kyc.revision, standing === 'rejected' ? rejected : approved)
}

/** Initial balances in shillings. */
const INITIAL = { wallet: 50_000, service_wallet: 10_000 } as const

function fund(tx: Tx, caller: Caller, id: number, { currency }: Country): void {
  for (const wallet of ['wallet', 'service_wallet'] as const) {
    const worth = toMajor(fromShillings(INITIAL[wallet], currency), currency)
    const amount = rounded(worth, 10 ** Math.floor(Math.log10(worth)))
    fundTeam(tx, caller, id, { wallet, amount })
  }
}

function addChannels(tx: Tx, draw: Draw, caller: Caller, account_id: number, n: number, name: string): void {
  const code = (of: string) => String(100_000 + draw.below(of, n, 900_000))
  createChannel(tx, caller, {
    account_id,
    channel_type: 'paybill',
    short_code: code('paybill'),
    account_number: name.split(' ')[0]!.toUpperCase(),
    description: 'Paybill',
    is_active: true,
  })
  createChannel(tx, caller, {
    account_id,
    channel_type: 'till',
    short_code: code('till'),
    description: 'Shop till',
    is_active: n % 5 !== 4,
  })
}

/** Invites members who accept, and some more who have not responded or have declined. */
export async function makeMembers(
  makers: Makers,
  teams: readonly TeamRow[],
  { members }: Amounts,
): Promise<void> {
  const { scratch, slice, from, draw, people, caller } = makers
  if (teams.length === 0) return
  const open = members === 0 ? 0 : Math.ceil(members / 8)
  for (let n = 0; n < members + open; n += 1) {
    if (slice.over) await slice.next()
    const team = teams[n % teams.length]!
    const name = people.name(team.country || 'KE', draw.fraction('member', n))
    const who = `${slugOf(name.first_name)}.${slugOf(name.last_name)}`
    const email = `${who}${n + 1}@members.example`
    const at = from + Math.floor(((n + draw.fraction('invited', n)) / (members + open)) * DAY)
    const token = scratch.change(at, (tx) => {
      inviteMember(tx, caller, {
        organization_id: team.organization_id,
        account_id: team.id,
        email,
        role_id: draw.weighted('role', n, roles),
        base_url: 'https://dashboard.example',
      })
      return tx.rows.walk('invites', 'age', 0, { offset: 0, limit: 1, newestFirst: true })[0]!.token
    })
    if (n < members) scratch.change(at + 30 * MINUTE, (tx) => void acceptInvite(tx, token, name))
    else if (n % 3 === 0) scratch.change(at + 30 * MINUTE, (tx) => void declineInvite(tx, token))
  }
}

const roles = [
  [2, 2],
  [3, 4],
  [4, 4],
] as const

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
