import type { Certification } from '../certify/certification.ts'
import type { Caller, Tx } from '../service/domain/context.ts'
import { noneLeft, notFound } from '../service/domain/errors.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { CertificationReport, CertificationReportSummary } from '../generated/control/schemas.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { CertificationRow } from '../storage/store/rows.ts'
import type { World } from '../worlds/world.ts'
import { judged } from './certification.ts'
import type { ControlDependencies } from './dependencies.ts'
import { pageOf } from './page.ts'

/** How many reports a world keeps, and how many characters of them. */
const MOST_KEPT = 20
const MOST_KEPT_TEXT = 2 * 1024 * 1024

const UNSIGNED =
  'This sandbox has no key to sign with (SANDBOX_CERTIFICATION_KEY): nobody else can tell whether the report was changed.'

type Handlers = Pick<
  ControlHandlers,
  'listCertificationReports' | 'createCertificationReport' | 'getCertificationReport'
>

export const certificationReports = ({ reportKey, version, wall }: ControlDependencies): Handlers => ({
  async createCertificationReport(call) {
    const { world, caller, origin } = call
    const { subject = world.name, ...rest } = call.request.body
    noneLeft(rest)
    const found = await certify(world, caller, { subject, version, url: origin, wall })
    const text = JSON.stringify(found)
    const signed = reportKey?.sign(text)
    const row = await world.change((tx) =>
      keep(tx, {
        subject,
        issued_at: Date.parse(found.ended_at),
        ready: found.summary.ready,
        text: found.summary.text,
        score: found.summary.score,
        payload: signed?.payload ?? Buffer.from(text).toString('base64url'),
        protected: signed?.protected ?? null,
        signature: signed?.signature ?? null,
        key_id: reportKey?.jwk().kid ?? null,
      }),
    )
    return { status: 201, body: reportView(row) }
  },

  async listCertificationReports(call) {
    const { world } = call
    const { before, limit = 100 } = call.request.query
    const page = await world.readInSlices((look) =>
      pageOf(look, world.name, 'certifications', { before, limit }),
    )
    return { status: 200, body: { certifications: page.rows.map(inShort), next_before: page.next_before } }
  },

  async getCertificationReport(call) {
    const { id } = call.request.path
    const row = await call.world.read(({ rows }) => rows.get('certifications', id))
    if (!row) throw notFound('certification', id)
    return { status: 200, body: reportView(row) }
  },
})

interface About {
  readonly subject: string
  readonly version: string
  readonly url: string
  readonly wall: () => number
}

/** In the form of all certifications. It is handed on to others, so that nothing of requests and callbacks themselves is in it. */
async function certify(
  world: World,
  caller: Caller,
  { subject, version, url, wall }: About,
): Promise<Certification> {
  const began = wall()
  const { results, summary, record } = await judged(world, caller)
  const ended = wall()
  return {
    certification: 1,
    subject,
    mode: 'passive',
    sandbox: { version, url, world: world.name },
    started_at: exactTime(began),
    ended_at: exactTime(ended),
    duration_ms: ended - began,
    features: [],
    probe: null,
    record,
    summary,
    checks: results.map((each) => ({ ...each, exchanges: [], timeline: [], curl: null })),
  }
}

/** The oldest go. Numbers rise whatever was reset, since reports outlive that. */
function keep({ rows }: Tx, report: Omit<CertificationRow, 'id'>): CertificationRow {
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

const inShort = ({
  id,
  subject,
  issued_at,
  ready,
  text,
  score,
  key_id,
}: CertificationRow): CertificationReportSummary => ({
  id,
  subject,
  issued_at: exactTime(issued_at),
  ready,
  text,
  score,
  key_id,
})

const reportView = (row: CertificationRow): CertificationReport => ({
  ...inShort(row),
  payload: row.payload,
  protected: row.protected,
  signature: row.signature,
  unsigned: row.signature === null ? UNSIGNED : null,
})
