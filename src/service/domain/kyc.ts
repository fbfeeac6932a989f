import type { ReviewStep } from '../vocabulary/outcome.ts'
import type { AccountInformation } from '../../generated/service/types.ts'
import type { KycDetails, KycRow, TeamRow } from '../../storage/store/rows.ts'
import { membershipIn, requireTeam } from './access.ts'
import { addJob, type Caller, type Look, next, type Tx } from './context.ts'
import { type Faults, faultless, invalid, notFound, type Readable } from './errors.ts'
import { checkCountryCode } from './global-payments.ts'
import { mergeDeep } from '../../lib/objects.ts'
import { isUrl } from '../../lib/text/is-url.ts'

/**
 * Submits a Team's KYC for review (specification 4.3).
 * @throws {ServiceError} 400 while an earlier submission is open
 */
export function submitKyc(tx: Tx, caller: Caller, account_id: number, details: KycDetails): KycRow {
  faultless((faults) => checkKyc(tx, details, faults))
  const team = requireTeam(tx, caller, account_id, 'manage')
  const open = tx.rows.find('kycs', 'account', account_id).find((kyc) => kyc.status !== 'approved')
  if (open)
    throw invalid(
      `account_id ${account_id} already has KYC ${open.id}, which is ${open.status}; amend it with PUT /api/v2/account_kycs/${open.id}`,
    )
  const kyc: KycRow = {
    id: next(tx, 'kyc'),
    account_id,
    status: 'pending',
    revision: 1,
    details: {
      ...details,
      account_information: details.account_information ?? snapshotOf(team),
      kyc_tier: details.kyc_tier ?? Math.min(team.kyc_tier + 1, highestTier(tx)),
    },
    created_at: tx.now,
    updated_at: tx.now,
  }
  tx.rows.insert('kycs', kyc)
  planReview(tx, kyc)
  return kyc
}

/** The Team's details, if the submission has none; an existing phone or e-mail counts as verified (assumed). */
const snapshotOf = (team: TeamRow): AccountInformation => ({
  currency: team.currency,
  organization_id: String(team.organization_id),
  account_name: team.name,
  email: team.email,
  phone_number: team.number,
  kyc_status: team.kyc_verified ? 'approved' : 'pending',
  account_status: team.status,
  is_phone_verified: team.number !== '',
  is_email_verified: team.email !== '',
})

/**
 * Amends a submission, which becomes pending again; omitted fields are unchanged.
 * @throws {ServiceError} 404 if the caller cannot see the KYC, 400 if it is in review or approved
 */
export function amendKyc(
  tx: Tx,
  caller: Caller,
  id: number,
  repeated_id: number | undefined,
  input: KycDetails & { account_id?: number | undefined },
): KycRow {
  faultless((faults) => checkAmendment(tx, id, repeated_id, input, faults))
  const { account_id, ...details } = input
  const kyc = findKyc(tx, caller, id)
  requireTeam(tx, caller, kyc.account_id, 'manage')
  if (account_id !== undefined && account_id !== kyc.account_id)
    throw invalid(`account_id must be ${kyc.account_id}, the Team of KYC ${id}, got ${account_id}`)
  if (kyc.status !== 'pending' && kyc.status !== 'rejected')
    throw invalid(`KYC ${id} is ${kyc.status}; only pending or rejected KYC can be amended`)
  const amended: KycRow = {
    ...kyc,
    status: 'pending',
    reasons: [],
    revision: kyc.revision + 1,
    details: withoutEmptied(mergeDeep(kyc.details, details)),
    updated_at: tx.now,
  }
  tx.rows.put('kycs', amended)
  planReview(tx, amended)
  return amended
}

/** An emptied entity type is removed, because its enum has no empty value. */
function withoutEmptied({ entity_type, ...details }: KycDetails): KycDetails {
  const emptied = entity_type === undefined || (entity_type as string) === ''
  return emptied ? details : { entity_type, ...details }
}

export function checkKyc(look: Look, details: Readable<KycDetails>, faults: Faults): void {
  const { kyc_tier, country_code, contact_information, entity_information } = details
  const highest = highestTier(look)
  if (kyc_tier !== undefined && !(kyc_tier >= 1 && kyc_tier <= highest))
    faults.refuse(
      'kyc_tier',
      kyc_tier,
      highest === 0 ? 'is not possible: the world has no tier above 0' : `must be from 1 to ${highest}`,
    )
  if (country_code !== '') checkCountryCode(faults, 'country_code', country_code)
  checkUploads(faults, 'contact_information', contact_information)
  checkUploads(faults, 'entity_information', entity_information)
}

/** Documents are references to files; an amendment may empty one. */
function checkUploads(faults: Faults, part: string, information: object | undefined): void {
  const { upload_information = {} } = (information ?? {}) as { upload_information?: object | undefined }
  for (const [name, url] of Object.entries(upload_information))
    if (typeof url === 'string' && url !== '' && !isUrl(url))
      faults.refuse(
        `${part}.upload_information.${name}`,
        url,
        'must be a URL, such as https://files.example/id.jpg',
      )
}

/** @param repeated_id - the body's copy of the path's `id` */
export function checkAmendment(
  look: Look,
  id: number | undefined,
  repeated_id: number | undefined,
  details: Readable<KycDetails>,
  faults: Faults,
): void {
  if (id !== undefined && repeated_id !== undefined && repeated_id !== id)
    faults.refuse('id', repeated_id, `must be ${id}, as in the path`)
  checkKyc(look, details, faults)
}

const highestTier = ({ settings }: Look) => settings.tiers.length - 1

export interface Review {
  readonly status: KycRow['status']
  readonly reasons?: readonly string[] | undefined
}

/**
 * Moves a submission to the next state of its review. Approval sets the Team's tier.
 * @returns the new state, or why nothing changed
 */
export function reviewKyc(tx: Tx, id: number, revision: number, { status, reasons = [] }: Review): string {
  const kyc = tx.rows.get('kycs', id)
  if (!kyc) return 'the KYC was deleted in the meantime'
  if (kyc.revision !== revision) return 'the KYC was amended or reviewed in the meantime'
  tx.rows.put('kycs', { ...kyc, status, reasons, updated_at: tx.now })
  const team = tx.rows.get('teams', kyc.account_id)
  if (status !== 'approved' || !team) return status
  tx.rows.put('teams', {
    ...team,
    kyc_tier: kyc.details.kyc_tier ?? team.kyc_tier,
    kyc_verified: true,
    updated_at: tx.now,
  })
  return status
}

function planReview(tx: Tx, kyc: KycRow): void {
  for (const { status, after, reasons } of tx.decision?.outcome.review ?? usualReview(tx))
    addJob(tx, after, { kind: 'review', kyc_id: kyc.id, revision: kyc.revision, status, reasons })
}

export function findKyc(look: Look, caller: Caller, id: number): KycRow {
  const kyc = look.rows.get('kycs', id)
  if (!kyc || !membershipIn(look, caller, kyc.account_id)) throw notFound('KYC', id)
  return kyc
}

/**
 * Reviews a submission manually and cancels its planned review.
 * @throws {ServiceError} 404 if the caller cannot see the KYC, 400 if its review is over
 */
export function reviewByHand(tx: Tx, caller: Caller, id: number, review: Review): KycRow {
  const kyc = findKyc(tx, caller, id)
  if ((review.reasons ?? []).length > 0 && review.status !== 'rejected')
    throw invalid(`reasons are only for status rejected, not ${review.status}`)
  if (kyc.status !== 'pending' && kyc.status !== 'in_review')
    throw invalid(`KYC ${id} is ${kyc.status}; only pending or in_review KYC can be reviewed`)
  tx.rows.put('kycs', { ...kyc, revision: kyc.revision + 1 })
  reviewKyc(tx, id, kyc.revision + 1, review)
  return findKyc(tx, caller, id)
}

const usualReview = ({ settings }: Tx): readonly ReviewStep[] => [
  { status: 'in_review', after: Math.floor(settings.review_after / 2), reasons: [] },
  { status: 'approved', after: settings.review_after, reasons: [] },
]
