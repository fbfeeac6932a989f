import type { Look } from '../service/domain/context.ts'
import { findKyc, reviewByHand } from '../service/domain/kyc.ts'
import { noneLeft } from '../service/domain/errors.ts'
import { seesTeams } from '../service/domain/visible.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import type { KycDocument, KycReview, KycSubmission } from '../generated/control/schemas.ts'
import type { KycRow } from '../storage/store/rows.ts'
import { handlers, MOST_LOOKED_AT, pageOf, ok } from './page.ts'

export const kyc = handlers({
  async listKycReviews({ world, caller, request }) {
    const { status, account_id, before, limit = 50 } = request.query
    const body = await world.readInSlices(async (look) => {
      const sees = seesTeams(look, caller)
      const fits = (row: KycRow) =>
        (status === undefined || row.status === status) &&
        (account_id === undefined || row.account_id === account_id) &&
        sees(row.account_id)
      const page = { before, limit, most: MOST_LOOKED_AT }
      const { rows, next_before } = await pageOf(look, world.name, 'kycs', page, fits)
      return { kyc: rows.map((row) => reviewView(look, row)), next_before }
    })
    return { status: 200, body }
  },

  async getKycReview({ world, caller, request }) {
    const { id } = request.path
    return ok(await world.read((look) => reviewView(look, findKyc(look, caller, id))))
  },

  async reviewKyc({ world, caller, request }) {
    const { id } = request.path
    const { status, reasons, ...rest } = request.body
    noneLeft(rest)
    const review = { status, reasons }
    const body = await world.change((tx) => reviewView(tx, reviewByHand(tx, caller, id, review)))
    return { status: 200, body }
  },
})

/** A submission as its reviewers see it. */
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

/** The files that a part of a submission refers to; one that was emptied is none. */
function documentsIn(of: KycDocument['of'], part: object | undefined): KycDocument[] {
  const { upload_information: files = {} } = (part ?? {}) as { upload_information?: object | undefined }
  return Object.entries(files).flatMap(([name, url]: [string, unknown]) =>
    typeof url === 'string' && url !== '' ? [{ of, name, url }] : [],
  )
}
