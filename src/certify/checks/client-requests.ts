import { isUrl } from '../../lib/text/is-url.ts'
import type { WorldRecord, ShopRequest } from '../world-record.ts'
import {
  fail,
  isStatusQuery,
  isTaken,
  judgeEach,
  notSeen,
  numbered,
  pass,
  requestsOf,
  sharing,
} from './check.ts'
import { ofRequest } from '../evidence.ts'

const shown = (requests: readonly ShopRequest[], label: string) =>
  requests.slice(0, 2).map((each) => ofRequest(each, label))

/** These checks cause faults and therefore retries, so other checks must not count their requests. */
const FAULTS: readonly WorldRecord['check'][] = [
  ...(['CLI-2', 'CLI-3', 'CLI-4', 'CLI-5', 'CLI-8', 'CLI-9'] as const),
  ...(['PAY-1', 'PAY-2', 'PAY-3', 'PAY-6'] as const),
]

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  let here = value
  for (const step of path) here = (here as Record<string, unknown> | null | undefined)?.[step]
  return typeof here === 'string' || typeof here === 'number' ? String(here) : undefined
}

export const clientRequests = sharing({})({
  'CLI-1': {
    title: 'Gives each payment a unique reference',
    tried: 'Certify compares the references of all payments in the request log.',
    expected: 'Each accepted payment has a unique external_reference.',
    impact:
      'A payment without a reference cannot be found if its response is lost. Payments with the same reference get confused.',
    fix: 'Send the order’s id, or a stored id of the attempt, as external_reference.',
    docs: 'glossary.md#names-of-a-transaction',
    judge(records) {
      const taken = requestsOf(records, FAULTS).filter((each) => isPayment(each) && isTaken(each))
      const names = taken.map(referenceOf)
      const isOne = names.length > 1 && names[0] !== '' && new Set(names).size === 1
      return judgeEach({
        all: taken.map((each, n) => ({ each, name: names[n]!, isAgain: names.indexOf(names[n]!) < n })),
        none: NO_PAYMENT,
        faultOf: ({ name, isAgain }) =>
          name === '' ? 'no reference' : isAgain ? `the reused reference "${name}"` : undefined,
        shown: ({ each }) => ofRequest(each, 'payment'),
        passes: `${taken.length} payments, each with a unique reference.`,
        fails: (count, kinds) =>
          isOne
            ? `All ${taken.length} payments have the same external_reference, "${names[0]}".`
            : `Of ${taken.length} payments, ${count} have ${kinds}.`,
      })
    },
  },
  'CLI-7': {
    feature: 'status-queries',
    version: 2,
    title: 'Limits its status queries',
    tried:
      'Certify counts the status queries for each payment and measures the intervals between them, without one that confirms each callback.',
    expected: 'On average at least one second between two queries, and at most 100 queries per payment.',
    impact: 'Status queries in a tight loop use up the rate limit for payments.',
    fix: 'Wait at least a second, longer each time, and stop at a final status or after a while.',
    docs: 'payments.md#look-at-the-result',
    judge(records) {
      // A correct client queries the status before each retry.
      const judged = records.filter((record) => hasOrder(record) && !FAULTS.includes(record.check))
      const groups = judged.flatMap((record) =>
        [...lookUpsOf(record)].map(([id, requested]) => {
          const confirming = confirmationsOf(id, requested, record)
          const paced = requested.filter((each) => !confirming.has(each))
          return { requested, paced, real: record.real }
        }),
      )
      if (groups.length === 0) return notSeen('The request log contains no status query.')
      const all = groups.reduce((sum, { requested }) => sum + requested.length, 0)
      const seen = `${all} status queries for ${groups.length} payments`
      const wrong = groups.find(
        ({ requested, paced, real }) => requested.length > MAX_QUERIES || (real && gapOf(paced) < MIN_GAP),
      )
      if (!wrong)
        return judged.every(({ real }) => real)
          ? pass(`${seen}.`, ...shown(groups[0]!.requested, 'status query'))
          : notSeen(`${seen}. ${FROZEN}`)
      const { requested, real } = wrong
      const span = real ? ` in ${((requested.at(-1)!.came - requested[0]!.came) / 1000).toFixed(1)} s` : ''
      return fail(
        `There were ${requested.length} status queries for one payment${span}.`,
        ...numbered(requested, 'status query', 4),
      )
    },
  },
  'CLI-12': {
    level: 'recommended',
    title: 'Sends well-formed requests',
    tried: 'Certify reads the payments in the request log.',
    expected:
      'Whole shillings, phone numbers in one format, and a callback_url with https (or on this machine) and without credentials.',
    impact:
      'Operators reject fractions; one customer with numbers in several formats becomes two; credentials in URLs end up in logs.',
    fix: 'Round to the unit, store phone numbers in one format such as 254712345678, and verify signatures instead of putting a password in the URL.',
    docs: 'payments.md#what-a-request-is-checked-for',
    judge(records) {
      const payments = requestsOf(records).filter(isPayment)
      const forms = [...new Set(payments.flatMap(phoneFormOf))]
      // SEC-2 judges the TLS of hosts that received callbacks.
      const reached = new Set(records.flatMap(hostsOf))
      return judgeEach({
        all: payments,
        none: NO_PAYMENT,
        faultOf({ body }) {
          const field = (name: string) => textAt(body, name) ?? textAt(body, 'payment_config', name)
          const amount = field('amount') ?? ''
          const isFraction = FRACTION.test(amount) && IN_SHILLINGS.includes(field('currency'))
          const faults = [
            isFraction && `an amount of ${amount}`,
            forms.length > 1 && `phone numbers in ${forms.length} formats (${forms.join(', ')})`,
            addressFault(field('callback_url') ?? '', reached),
          ].filter(Boolean)
          return faults.length > 0 ? faults.join(' and ') : undefined
        },
        shown: (each) => ofRequest(each, 'payment'),
        passes: `${payments.length} payments are well-formed.`,
        fails: (count, kinds) => `${count} payments contain ${kinds}.`,
      })
    },
  },
  'CLI-14': {
    level: 'recommended',
    feature: 'withdraw',
    title: 'Waits for the result of a payout, and accepts rejections',
    tried: 'Certify reads the payouts in the request log.',
    expected:
      'Each accepted payout is followed by a delivered callback or a status query; no rejected payout is repeated unchanged.',
    impact:
      'The response to a payout confirms that it was accepted, not that it arrived. Some are returned a day later.',
    fix: 'Book a payout when its result is known. Send a callback_url, or query its status.',
    docs: 'payments.md#pay-out',
    judge(records) {
      const decided = records
        .filter(({ check }) => !FAULTS.includes(check))
        .flatMap((record) => {
          const payouts = record.requests.filter((each) => isPayment(each) && isPayout(each))
          return payouts.flatMap((each, n) => {
            const fault = payoutFault(each, payouts.slice(n + 1), record)
            return fault === 'undecided' ? [] : [{ each, fault }]
          })
        })
      return judgeEach({
        all: decided,
        none: 'The request log contains no payout.',
        faultOf: ({ fault }) => fault,
        shown: ({ each }) => ofRequest(each, 'payout'),
        passes: `The shop handled ${decided.length} payouts correctly.`,
        fails: (_, kinds) => `${kinds}.`,
      })
    },
  },
  'CLI-15': {
    level: 'recommended',
    version: 2,
    title: 'Stops querying once the result is known',
    tried:
      'Certify counts status queries after a delivered callback, or after a query that returned a final status, without one that confirms each callback.',
    expected: 'There are none.',
    impact: 'Queries for known results use up the rate limit and grow with every order.',
    fix: 'Stop the query job when the order is final.',
    docs: 'payments.md#look-at-the-result',
    judge(records) {
      const judged = records.filter((record) => hasOrder(record) && ORDINARY.includes(record.check))
      const groups = judged.flatMap((record) =>
        [...lookUpsOf(record)].map(([id, requested]) => ({ id, requested, record })),
      )
      if (groups.length === 0) return notSeen('The request log contains no status query.')
      const late: ShopRequest[] = []
      for (const { id, requested, record } of groups) {
        const delivered = callbacksOf(id, record).filter(({ callback }) => callback.state === 'delivered')
        const told = delivered.flatMap(({ attempts }) => attempts.at(-1) ?? [])
        const followsOne = (query: ShopRequest) =>
          told.some(({ at, sent_at }) => {
            const gap = Date.parse(query.at) - Date.parse(at)
            const from = Date.parse(sent_at)
            return gap - (record.stalled?.(from, from + gap) ?? 0) > 1_000
          })
        const reversed = transactionOf(id, record)?.status === 'REVERSED'
        const confirming = confirmationsOf(id, requested, record)
        let known = false
        for (const each of requested) {
          const isLate = known || (record.real && !reversed && followsOne(each))
          if (isLate && !confirming.has(each)) late.push(each)
          known ||= FINAL.test(JSON.stringify(each.response))
        }
      }
      const seen = `The shop queried the status of ${groups.length} payments`
      if (late.length === 0)
        return judged.every(({ real }) => real)
          ? pass(`${seen}, none after it knew the result.`, ...shown(groups[0]!.requested, 'status query'))
          : notSeen(`${seen}, none after a query had returned the result. ${FROZEN}`)
      return fail(
        `${late.length} status queries followed a known result.`,
        ...late.slice(0, 4).map((each) => ofRequest(each, 'status query')),
      )
    },
  },
})

const NO_PAYMENT = 'The request log contains no payment.'
const PAYMENTS = ['createCollection', 'createGlobalPayment', 'createWithdrawal']

const isPayment = ({ operation }: ShopRequest) => PAYMENTS.includes(operation ?? '')

const referenceOf = ({ body }: ShopRequest) =>
  textAt(body, 'external_reference') ?? textAt(body, 'payment_config', 'reference') ?? ''

const FRACTION = /^\d+\.\d*[1-9]/

const IN_SHILLINGS = ['KES', 'TZS', 'UGX', undefined]

const LOCAL =
  /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\]|host\.(docker|testcontainers)\.internal|[\w-]+$)|\.(localhost|local|test|internal)$/

const phoneFormOf = ({ body }: ShopRequest): readonly string[] => {
  const phone = textAt(body, 'phone_number')
  return phone === undefined ? [] : [phone.startsWith('+') ? '+254…' : phone.startsWith('0') ? '07…' : '254…']
}

/** Whether an address belongs to this machine or its network. */
export const isLocal = (url: string): boolean => isUrl(url) && LOCAL.test(new URL(url).hostname)

const hostsOf = ({ callbacks }: WorldRecord): readonly string[] =>
  callbacks.flatMap(({ attempts }) => attempts.map(({ url }) => new URL(url).host))

function addressFault(url: string, reached: ReadonlySet<string>): string | undefined {
  if (url.includes('[redacted]@')) return 'a callback_url with credentials'
  if (!isUrl(url)) return undefined
  const { protocol, username, password, host } = new URL(url)
  if (username !== '' || password !== '') return 'a callback_url with credentials'
  return protocol === 'https:' || isLocal(url) || reached.has(host)
    ? undefined
    : 'a callback_url without https'
}

/** Returns the fault in how the shop handled a payout, if any. @param later - The payouts after it. */
function payoutFault(each: ShopRequest, later: readonly ShopRequest[], record: WorldRecord) {
  const reference = referenceOf(each)
  if (!isTaken(each)) {
    if (each.status === null || each.status >= 500 || each.status === 429) return 'undecided'
    const isRepeated = later.some(({ body }) => JSON.stringify(body) === JSON.stringify(each.body))
    return isRepeated ? `The payout ${reference} was rejected and resent unchanged` : undefined
  }
  const own = textAt(each.response, 'reference') ?? reference
  const isTold = record.callbacks.some(
    ({ callback }) =>
      callback.state === 'delivered' &&
      (callback.transaction === own || callback.external_reference === reference),
  )
  const isQueried = [own, reference].some((id) => lookUpsOf(record).has(id))
  const made = transactionOf(own, record)
  if (made?.status === 'QUEUED') return 'undecided'
  if (isTold || isQueried) return undefined
  // A check may drop a callback, or send one that the shop must refuse, and end before the shop queries the status.
  const isCut = record.check !== null && made !== undefined && made.callback_url !== ''
  return isCut ? 'undecided' : `The shop did not learn the result of payout ${reference || own}`
}

const isPayout = ({ operation, body }: ShopRequest) =>
  operation === 'createWithdrawal' ||
  (operation === 'createGlobalPayment' &&
    textAt(body, 'request_type') !== 'collection' &&
    /withdraw|payout/.test(JSON.stringify(body)))

function lookUpsOf({ requests }: WorldRecord): ReadonlyMap<string, readonly ShopRequest[]> {
  const found = new Map<string, ShopRequest[]>()
  for (const each of requests) {
    if (!isStatusQuery(each)) continue
    const id = textAt(each.body, 'request_id') ?? ''
    found.set(id, [...(found.get(id) ?? []), each])
  }
  return found
}

const transactionOf = (id: string, { transactions }: WorldRecord) =>
  transactions.find((each) =>
    [each.reference, each.external_reference, each.checkout_request_id].includes(id),
  )

function callbacksOf(id: string, record: WorldRecord): WorldRecord['callbacks'] {
  const reference = transactionOf(id, record)?.reference
  return record.callbacks.filter(({ callback }) => callback.transaction === reference)
}

/**
 * Returns the status queries by which a shop confirms callbacks: at most one per attempt. The sandbox causes these by the time
 * of its callback, so they are no sign of the pace of the shop.
 */
function confirmationsOf(
  id: string,
  requested: readonly ShopRequest[],
  record: WorldRecord,
): ReadonlySet<ShopRequest> {
  const found = new Set<ShopRequest>()
  if (!record.real) return found
  for (const { at, duration_ms } of callbacksOf(id, record).flatMap(({ attempts }) => attempts)) {
    const began = Date.parse(at)
    const end = began + duration_ms + CONFIRMATION_LIMIT
    const first = requested.find((each) => !found.has(each) && each.came >= began && each.came <= end)
    if (first) found.add(first)
  }
  return found
}

/** Milliseconds after a callback in which a shop that works from a queue confirms it. */
const CONFIRMATION_LIMIT = 1_000

/** Whether the record contains the order of status queries: always in a whole record, otherwise only if the clock runs. */
const hasOrder = ({ real, check }: WorldRecord) => real || check === null

const FROZEN = 'The world’s clock is frozen, so the request log does not contain intervals.'

/** Returns the average time between requests in milliseconds. */
const gapOf = (requested: readonly ShopRequest[]): number =>
  requested.length < 2 ? Infinity : (requested.at(-1)!.came - requested[0]!.came) / (requested.length - 1)

const MAX_QUERIES = 100

/** Milliseconds between two status queries; slightly less than the second that the check requires. */
const MIN_GAP = 900

const FINAL = /"status":"(success|failed|reversed)"/i

/** The checks during which status queries and callbacks agree. */
const ORDINARY: readonly WorldRecord['check'][] = [null, 'CLI-6', 'CLI-8', 'CLI-16']
