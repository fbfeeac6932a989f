import { checkIds } from './check-ids.ts'
import type { CertificationInitialIds } from '../generated/control/types.ts'
import { OWN_AGENT } from '../lib/text/headers.ts'
import type { Amounts, Certification, CheckResult, RecordStanding } from './certification.ts'
import { checks } from './checks.ts'
import { coverageOf } from './coverage.ts'
import { notSeen } from './checks/check.ts'
import { noEvidence, resultOf, summaryOf, timesOf } from './results.ts'
import type { WorldRecord, ShopRequest } from './world-record.ts'

/**
 * Judges every check by the request log of a world.
 * @param given - The highest ids of imported rows.
 * @param frozen - Whether the world's clock is frozen.
 * @param between - Called between two checks so that other work can proceed.
 */
export async function judgeRecord(
  whole: WorldRecord,
  initial_ids: CertificationInitialIds,
  frozen: boolean,
  between: () => Promise<void> | undefined = () => undefined,
) {
  const { own, standing } = partOfShop(whole, initial_ids)
  const results: CheckResult[] = []
  for (const id of checkIds) {
    await between()
    const check = checks[id]
    const finding =
      check.judge?.([{ ...own, real: !frozen }], undefined) ??
      notSeen('This check needs a trigger: run certify with a profile.')
    results.push(resultOf(id, finding, noEvidence()))
  }
  return { results, record: standing, summary: summaryOf(results), coverage: coverageOf([own]) }
}

type Judging = Pick<Certification, 'subject' | 'sandbox'> & { readonly began: number; readonly ended: number }

export const passive = (
  { results, record, summary, coverage }: Awaited<ReturnType<typeof judgeRecord>>,
  { subject, sandbox, began, ended }: Judging,
): Certification => ({
  ...timesOf(began, ended),
  certification: 1,
  subject,
  shop_version: null,
  mode: 'passive',
  sandbox,
  plan: null,
  profile_hash: null,
  witness: null,
  features: [],
  probe: null,
  record,
  coverage,
  summary,
  checks: results,
})

/** Returns the part of a record that the shop caused, and its size. */
function partOfShop(record: WorldRecord, initial_ids: CertificationInitialIds) {
  const requests = record.requests.filter((request) => !isByHand(request))
  const made = madeBy(requests)
  const called = (operation: string) => requests.some((each) => each.operation === operation)
  const own: WorldRecord = {
    ...record,
    requests,
    transactions: record.transactions
      .filter((each) => each.id > initial_ids.transactions && made(each))
      .map((each) => (isOwnInbox(each.callback_url) ? { ...each, callback_state: 'none' } : each)),
    callbacks: record.callbacks.filter(
      ({ callback }) => callback.id > initial_ids.callbacks && !isOwnInbox(callback.url),
    ),
    kyc: called('submitKyc') ? record.kyc.filter(({ id }) => id > initial_ids.kyc) : [],
    invites: called('inviteMember') ? record.invites.filter(({ id }) => (id ?? 0) > initial_ids.invites) : [],
  }
  const evaluated = amountsOf(own)
  const all = amountsOf(record)
  const excluded = {
    requests: all.requests - evaluated.requests,
    transactions: all.transactions - evaluated.transactions,
    callbacks: all.callbacks - evaluated.callbacks,
  }
  const first = Number(/\d+$/.exec(record.requests[0]?.id ?? '')?.[0] ?? 1)
  const standing: RecordStanding = { evaluated, excluded, discarded: Math.max(first - 1, 0), initial_ids }
  return { own, standing }
}

const amountsOf = ({ requests, transactions, callbacks }: WorldRecord): Amounts => ({
  requests: requests.length,
  transactions: transactions.length,
  callbacks: callbacks.length,
})

/** Whether a browser, such as the dashboard or the documentation, or a tool of the sandbox sent the request. */
const isByHand = ({ headers }: ShopRequest): boolean =>
  headers.some(({ name, value }) => {
    const header = name.toLowerCase()
    if (header === 'user-agent') return value.startsWith('Mozilla/') || value.startsWith(OWN_AGENT)
    return header === 'origin' || header === 'sec-fetch-site'
  })

const isOwnInbox = (url: string) => url.includes('/sandbox/inbox/')

/**
 * Returns a test for transactions that the requests created: by the reference in the answer, or by the caller's reference
 * if no answer arrived.
 */
function madeBy(requests: readonly ShopRequest[]): (made: WorldRecord['transactions'][number]) => boolean {
  const answered = new Set<unknown>()
  const lost = new Set<unknown>()
  for (const { status, response, body } of requests) {
    if (status !== null && status < 300) for (const each of leavesOf(response)) answered.add(each)
    else if (status === null || status >= 500) for (const each of leavesOf(body)) lost.add(each)
  }
  // An offline payment has no request.
  return ({ is_offline, reference, external_reference }) =>
    is_offline || answered.has(reference) || (external_reference !== '' && lost.has(external_reference))
}

const MAX_DEPTH = 4

function leavesOf(value: unknown, depth = 0): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return depth < MAX_DEPTH ? Object.values(value).flatMap((each) => leavesOf(each, depth + 1)) : []
}
