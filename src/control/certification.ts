import { mapInSlices, timeSlice } from '../lib/clock/clock.ts'
import type { Certification, CheckResult } from '../certify/certification.ts'
import { callbackDetails } from './callbacks.ts'
import { handlers, MOST_LOOKED_AT, ok, pageOf, viewsOf } from './page.ts'
import { transactionTest, transactionView } from './transactions.ts'
import type {
  CertificationEntry,
  CertificationReport,
  CertificationReportSummary,
} from '../generated/control/types.ts'
import type { ReportKey } from '../callbacks/signatures/report-key.ts'
import type { RegisterEntry } from '../worlds/certification-register.ts'
import type { Caller, Look, Tx } from '../service/domain/context.ts'
import { invalid, noneLeft, notFound } from '../service/domain/errors.ts'
import { seesTeams } from '../service/domain/visible.ts'
import { exactOrNull, exactTime, wireTime } from '../service/domain/wire-time.ts'
import type { CertificationRow } from '../storage/store/rows.ts'
import { IMPORTED, type ImportedIds, NOTHING_IMPORTED } from '../worlds/snapshots.ts'
import { requestView } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'

/** Maximum number of rows of each table that the checks read, newest first. */
const MOST = 200

const countsOf = ({ pass, fail, inconclusive, not_seen }: Certification['summary']['mandatory']) => ({
  pass,
  fail,
  inconclusive,
  not_seen,
})

export async function judged(world: World, caller: Caller) {
  const { judgeRecord } = await import('../certify/judge-record.ts')
  const { initial_ids, ...record } = await recordOf(world, caller)
  const slice = await timeSlice(world.name)
  const between = () => (slice.over ? slice.next() : undefined)
  return judgeRecord(record, initial_ids, world.clock.state.speed === 0, between)
}

function checkView(check: CheckResult) {
  const { id, group, title, level, mode, observed, expected, impact, fix, docs } = check
  const isOpen = check.verdict === 'not_applicable' || check.verdict === 'waived'
  // These verdicts depend on a profile or a remote receiver, which a live world need not have.
  const verdict = isOpen ? 'not_seen' : check.verdict
  return { id, group, title, level, mode, verdict, observed, expected, impact, fix, docs } as const
}

async function recordOf(world: World, caller: Caller) {
  const slice = await timeSlice(world.name)
  const requests = await mapInSlices(await world.journal.all(), slice, (entry) => ({
    ...requestView(entry),
    came: entry.at,
  }))
  const rows = await world.readInSlices(async (look) => {
    const page = { limit: MOST, most: MOST_LOOKED_AT }
    const callbacks = await pageOf(look, world.name, 'callbacks', page)
    const fits = transactionTest(look, caller, {})
    const transactions = await pageOf(look, world.name, 'transactions', page, fits)
    const sees = seesTeams(look, caller)
    const kyc = await pageOf(look, world.name, 'kycs', page, (row) => sees(row.account_id))
    return {
      callbacks: await mapInSlices(callbacks.rows, slice, (row) => callbackDetails(look, world.name, row)),
      transactions: await mapInSlices(transactions.rows, slice, (row) => transactionView(look, row)),
      kyc: kyc.rows,
      initial_ids: (look.rows.get('state', IMPORTED)?.value as ImportedIds | undefined) ?? NOTHING_IMPORTED,
      invites: look.rows
        .walk('invites', 'age', 0, { offset: 0, limit: MOST, newestFirst: true })
        .filter((row) => sees(row.account_id)),
    }
  })
  return { check: null, real: true, requests, ...rows }
}

/** Maximum number of reports that a world keeps, and of characters in them. */
const MOST_KEPT = 20
const MOST_KEPT_TEXT = 2 * 1024 * 1024

const UNSIGNED =
  'This sandbox has no signing key (SANDBOX_CERTIFICATION_KEY), so others cannot verify that the report is unchanged.'

export const certification = handlers(({ reportKey, version, wall, secrets, certifying }) => ({
  async getCertification({ world, caller }) {
    const { results, summary, record } = await judged(world, caller)
    const { standing, ready, text, score, fix_first, mandatory, recommended } = summary
    return ok({
      world: world.name,
      at: wireTime(world.clock.now()),
      standing,
      ready,
      text,
      score,
      fix_first,
      mandatory: countsOf(mandatory),
      recommended: countsOf(recommended),
      record,
      checks: results.map(checkView),
    })
  },

  async createCertificationReport({ world, caller, origin, request }) {
    const { subject = world.name, ...rest } = request.body
    noneLeft(rest)
    const { passive } = await import('../certify/judge-record.ts')
    const began = wall()
    const found = passive(await judged(world, caller), {
      subject,
      sandbox: { version, url: origin, world: world.name },
      began,
      ended: wall(),
    })
    // Reports are shared with others, so they omit the requests and callbacks themselves.
    const checks = found.checks.map((each) => ({ ...each, exchanges: [], timeline: [] }))
    const row = await world.change((tx) => keep(tx, rowOf({ ...found, checks }, reportKey)))
    return { status: 201, body: reportView(row) }
  },

  async listCertificationReports({ world, request }) {
    const all = () => true
    const page = await viewsOf(world, 'certifications', request.query, all, inShort)
    return ok({ certifications: page.views, next_before: page.next_before })
  },

  getCertificationReport: {
    read: ({ rows }, { request }) => ok(reportView(rowWith(rows, request.path.id))),
  },

  async registerCertification({ world, origin, request }) {
    const now = wall()
    const listed = await certifying.register.list()
    const entry = await world.change((tx) => {
      const row = rowWith(tx.rows, request.path.id)
      // The badge keeps its address when a certification is renewed.
      const before = listed.find((each) => each.world === world.name && each.plan === row.plan)
      const id = row.entry ?? before?.id ?? `c-${secrets().slice(0, 12)}`
      const published = entryOf(row, world.name, id, now)
      for (const each of tx.rows.below('certifications', { before: Infinity, limit: Infinity }))
        if (each.entry === id) tx.rows.put('certifications', { ...each, entry: null })
      tx.rows.put('certifications', { ...row, entry: id })
      return published
    })
    await certifying.register.add(entry)
    return ok(entryView(entry, origin, now))
  },

  async unregisterCertification({ world, request }) {
    const { row, entry } = await world.change((tx) => {
      const { entry, ...row } = rowWith(tx.rows, request.path.id)
      const left = { ...row, entry: null }
      tx.rows.put('certifications', left)
      return { row: left, entry }
    })
    if (entry !== null) await certifying.register.remove(world.name, entry)
    return ok(inShort(row))
  },
}))

/** @throws ServiceError 404 */
function rowWith(rows: Look['rows'], id: number): CertificationRow {
  const row = rows.get('certifications', id)
  if (!row) throw notFound('certification', id)
  return row
}

/** @throws ServiceError 400 if the report does not belong into the register */
function entryOf(row: CertificationRow, world: string, id: string, now: number): RegisterEntry {
  const { plan, standing, key_id, expires_at, subject, shop_version, issued_at, witnessed } = row
  const refuse = (why: string) => invalid(`the register contains only certifications that ${why}`)
  if (!witnessed)
    throw refuse('the sandbox has witnessed: start a run with POST /sandbox/certifications/runs')
  if (plan === null || expires_at === null) throw refuse('follow a plan: start a run with plan')
  if (key_id === null) throw refuse('are signed: the operator sets SANDBOX_CERTIFICATION_KEY')
  if (standing !== 'ready' && standing !== 'ready_with_waivers')
    throw refuse(`are ready; this one is ${standing.replaceAll('_', ' ')}`)
  if (expires_at <= now) throw refuse(`are valid; this one has expired on ${exactTime(expires_at)}`)
  return { id, subject, shop_version, plan, standing, key_id, issued_at, expires_at, world }
}

const entryView = (entry: RegisterEntry, origin: string, now: number): CertificationEntry => {
  const { world: _, key_id: __, issued_at, expires_at, ...rest } = entry
  return {
    ...rest,
    issued_at: exactTime(issued_at),
    expires_at: exactTime(expires_at),
    expired: expires_at <= now,
    page: `${origin}/certifications`,
    badge: `${origin}/certifications/${entry.id}.svg`,
  }
}

/** Signs a certification. */
export function rowOf(found: Certification, reportKey: ReportKey | undefined): Omit<CertificationRow, 'id'> {
  const { subject, shop_version, ended_at, expires_at, summary, plan, witness } = found
  const text = JSON.stringify(found)
  const signed = reportKey?.sign(text)
  return {
    subject,
    shop_version,
    issued_at: Date.parse(ended_at),
    expires_at: expires_at === null ? null : Date.parse(expires_at),
    plan: plan?.name ?? null,
    witnessed: witness !== null,
    entry: null,
    standing: summary.standing,
    text: summary.text,
    score: summary.score,
    payload: signed?.payload ?? Buffer.from(text).toString('base64url'),
    protected: signed?.protected ?? null,
    signature: signed?.signature ?? null,
    key_id: reportKey?.jwk().kid ?? null,
  }
}

/** Deletes the oldest reports beyond the limits. Ids keep rising after a reset, since reports survive it. */
export function keep({ rows }: Tx, report: Omit<CertificationRow, 'id'>): CertificationRow {
  const kept = rows.below('certifications', { before: Infinity, limit: MOST_KEPT })
  const row = { id: (kept[0]?.id ?? 0) + 1, ...report }
  rows.insert('certifications', row)
  let text = report.payload.length
  for (const [n, { id, payload }] of kept.entries()) {
    text += payload.length
    if (n >= MOST_KEPT - 1 || text > MOST_KEPT_TEXT) rows.delete('certifications', id)
  }
  return row
}

function inShort(row: CertificationRow): CertificationReportSummary {
  const { id, subject, standing, text, score, plan, witnessed, key_id } = row
  const [issued_at, expires_at] = [exactTime(row.issued_at), exactOrNull(row.expires_at)]
  const ready = standing === 'ready'
  return { id, subject, issued_at, standing, ready, text, score, plan, witnessed, expires_at, key_id }
}

const reportView = (row: CertificationRow): CertificationReport => ({
  ...inShort(row),
  payload: row.payload,
  protected: row.protected,
  signature: row.signature,
  unsigned: row.signature === null ? UNSIGNED : null,
})
