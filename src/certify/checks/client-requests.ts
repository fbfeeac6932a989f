import { isUrl } from '../../lib/text/is-url.ts'
import type { WorldRecord, ShopRequest } from '../world-record.ts'
import { type Checks, fail, type Finding, notSeen, pass } from './check.ts'
import { ofRequest } from '../evidence.ts'

const recorded = { level: 'mandatory', how: 'record', probe: false } as const

/** Requests meet faults during these checks, so that no other check may judge their number. */
const FAULTS: readonly WorldRecord['check'][] = ['CLI-2', 'CLI-3', 'CLI-4', 'CLI-5', 'CLI-8', 'CLI-9']

const isLookUp = ({ operation }: ShopRequest): boolean => operation === 'getTransactionStatus'

/** Returns a text or number of a body as text. */
function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  let here = value
  for (const step of path) here = (here as Record<string, unknown> | null | undefined)?.[step]
  return typeof here === 'string' || typeof here === 'number' ? String(here) : undefined
}
export const clientRequests = {
  'CLI-1': {
    ...recorded,
    title: 'Gives each payment a reference of its own',
    tried: 'The references of all payments on record are compared.',
    expected: 'Each payment that was taken has an external_reference, and no two the same.',
    why: 'A payment without a reference cannot be found again when its answer is lost; two with the same are mistaken for one another.',
    mend: 'Send the order’s id, or an id of the try that you keep with it, as external_reference.',
    docs: 'glossary.md#names-of-a-transaction',
    fault: 'Payments cannot be told apart: they have no reference of their own.',
    judge(records) {
      const taken = requestsOf(records, FAULTS).filter((each) => isPayment(each) && isTaken(each))
      if (taken.length === 0) return notSeen('No payment is on record.')
      const without = taken.filter((each) => referenceOf(each) === '')
      const seen = new Set<string>()
      const again = taken.filter((each) => {
        const reference = referenceOf(each)
        if (reference === '') return false
        if (seen.has(reference)) return true
        seen.add(reference)
        return false
      })
      if (without.length + again.length === 0)
        return pass(`${taken.length} payments, each with a reference of its own.`)
      const wrong = [...without, ...again].slice(0, 4).map((each, n) => ofRequest(each, `payment ${n + 1}`))
      return fail(
        `Of ${taken.length} payments ${without.length} had no reference, and ${again.length} that of another.`,
        ...wrong,
      )
    },
  },
  'CLI-7': {
    ...recorded,
    feature: 'look-ups',
    title: 'Asks no faster than every second, and ends',
    tried: 'The look-ups of each payment on record are counted and their gaps measured.',
    expected: 'No two within a second on average, and no more than a hundred for a payment.',
    why: 'Look-ups in a loop use up the limit of requests for payments.',
    mend: 'Wait a second at least, more each time, and end at a final state or after a time.',
    docs: 'payments.md#look-at-the-result',
    fault: 'Payments are looked up too often, or without end.',
    judge(records) {
      // A careful client looks a payment up before each retry.
      const judged = records.filter((record) => isTold(record) && !FAULTS.includes(record.check))
      const groups = judged.flatMap((record) =>
        [...lookUpsOf(record).values()].map((asked) => ({ asked, real: record.real })),
      )
      if (groups.length === 0) return notSeen('No look-up is on record.')
      const all = groups.reduce((sum, { asked }) => sum + asked.length, 0)
      const seen = `${all} look-ups for ${groups.length} payments`
      const wrong = groups.find(
        ({ asked, real }) => asked.length > MOST_LOOK_UPS || (real && gapOf(asked) < LEAST_GAP),
      )
      if (!wrong)
        return judged.every(({ real }) => real) ? pass(`${seen}.`) : notSeen(`${seen}. ${STANDS_STILL}`)
      const { asked, real } = wrong
      const span = real ? ` in ${((asked.at(-1)!.came - asked[0]!.came) / 1000).toFixed(1)} s` : ''
      return fail(
        `For one payment there were ${asked.length} look-ups${span}.`,
        ...asked.slice(0, 4).map((each, n) => ofRequest(each, `look-up ${n + 1}`)),
      )
    },
  },
  'CLI-12': {
    ...recorded,
    level: 'recommended',
    title: 'Sends requests in good form',
    tried: 'The payments on record are read.',
    expected:
      'Whole shillings, one form of phone numbers, a callback_url with https (or of this machine) and without credentials.',
    why: 'Fractions are refused by operators; numbers in several forms are one customer twice; credentials in addresses end up in logs.',
    mend: 'Round to the unit, keep phones in one form such as 254712345678, and sign callbacks instead of hiding a password in their address.',
    docs: 'payments.md#what-a-request-is-checked-for',
    judge(records) {
      const payments = requestsOf(records).filter(isPayment)
      if (payments.length === 0) return notSeen('No payment is on record.')
      const faults = new Map<string, ShopRequest>()
      const note = (what: string, asked: ShopRequest) => faults.has(what) || faults.set(what, asked)
      const forms = new Map<string, ShopRequest>()
      // SEC-2 judges the TLS of hosts that received callbacks.
      const reached = new Set(records.flatMap(hostsOf))
      for (const each of payments) {
        const amount = textAt(each.body, 'amount') ?? textAt(each.body, 'payment_config', 'amount') ?? ''
        const currency = textAt(each.body, 'currency') ?? textAt(each.body, 'payment_config', 'currency')
        if (FRACTION.test(amount) && IN_SHILLINGS.includes(currency)) note(`an amount of ${amount}`, each)
        const phone = textAt(each.body, 'phone_number')
        if (phone !== undefined)
          forms.set(phone.startsWith('+') ? '+254…' : phone.startsWith('0') ? '07…' : '254…', each)
        const callback =
          textAt(each.body, 'callback_url') ?? textAt(each.body, 'payment_config', 'callback_url')
        const fault = addressFault(callback ?? '', reached)
        if (fault !== undefined) note(fault, each)
      }
      if (forms.size > 1)
        note(
          `phone numbers in ${forms.size} forms (${[...forms.keys()].join(', ')})`,
          [...forms.values()][0]!,
        )
      if (faults.size === 0) return pass(`${payments.length} payments are in good form.`)
      return fail(
        `Among ${payments.length} payments there is ${[...faults.keys()].slice(0, 4).join(', ')}.`,
        ...[...faults.values()].slice(0, 4).map((each) => ofRequest(each, 'payment')),
      )
    },
  },
  'CLI-14': {
    ...recorded,
    level: 'recommended',
    feature: 'withdraw',
    title: 'Waits for the result of a payout, and takes refusals',
    tried: 'The payouts on record are looked at.',
    expected:
      'Each that was taken is followed by a callback that arrived or by a look-up; none that was refused is repeated unchanged.',
    why: 'The answer to a payout says that it was taken, not that it arrived. Some come back a day later.',
    mend: 'Book a payout at its result. Give a callback_url, or look it up.',
    docs: 'payments.md#pay-out',
    judge(records) {
      const findings: Finding[] = []
      for (const { requests, callbacks } of records) {
        const asked = requests.filter((each) => isPayment(each) && isPayout(each))
        for (const [n, each] of asked.entries()) {
          const reference = referenceOf(each)
          const exchange = ofRequest(each, 'payout')
          if (isTaken(each)) {
            const own = textAt(each.answer, 'reference') ?? reference
            const told = callbacks.some(
              ({ callback }) =>
                callback.state === 'delivered' &&
                (callback.transaction === own || callback.external_reference === reference),
            )
            const looked = requests.some(
              (other) => isLookUp(other) && [own, reference].includes(textAt(other.body, 'request_id') ?? ''),
            )
            findings.push(
              told || looked
                ? pass('')
                : fail(`Of the payout ${reference || own} nobody heard how it ended.`, exchange),
            )
          } else if (each.status !== null && each.status < 500 && each.status !== 429) {
            const same = JSON.stringify(each.body)
            const repeated = asked.slice(n + 1).some(({ body }) => JSON.stringify(body) === same)
            findings.push(
              repeated
                ? fail(`The payout ${reference} was refused and sent again unchanged.`, exchange)
                : pass(''),
            )
          }
        }
      }
      if (findings.length === 0) return notSeen('No payout is on record.')
      return (
        findings.find(({ verdict }) => verdict === 'fail') ??
        pass(`${findings.length} payouts were looked at.`)
      )
    },
  },
  'CLI-15': {
    ...recorded,
    level: 'recommended',
    title: 'Asks nothing once it knows',
    tried:
      'Look-ups after a callback was delivered, or after a look-up that told a final state, are counted.',
    expected: 'There are none.',
    why: 'Look-ups for what is known use up the limit of requests, and grow with every order.',
    mend: 'End the job of look-ups when the order is final.',
    docs: 'payments.md#look-at-the-result',
    judge(records) {
      const judged = records.filter((record) => isTold(record) && ORDINARY.includes(record.check))
      const groups = judged.flatMap((record) =>
        [...lookUpsOf(record)].map(([id, asked]) => ({ id, asked, record })),
      )
      if (groups.length === 0) return notSeen('No look-up is on record.')
      const late: ShopRequest[] = []
      for (const { id, asked, record } of groups) {
        const { callbacks, transactions } = record
        const names = transactions.find((each) =>
          [each.reference, each.external_reference, each.checkout_request_id].includes(id),
        )
        const delivered = callbacks.filter(
          ({ callback }) => callback.transaction === names?.reference && callback.state === 'delivered',
        )
        // The record has whole seconds, so that a look-up in the same second may precede the callback.
        const told = Math.min(
          ...delivered.map(({ attempts }) => Date.parse(attempts.at(-1)?.at ?? '') + 1_000),
        )
        const reversed = names?.status === 'REVERSED'
        let known = false
        for (const each of asked) {
          if (known || (record.real && !reversed && Date.parse(each.at) > told)) late.push(each)
          known ||= FINAL.test(JSON.stringify(each.answer))
        }
      }
      const seen = `${groups.length} payments were looked up`
      if (late.length === 0)
        return judged.every(({ real }) => real)
          ? pass(`${seen}, none once it was known how it ended.`)
          : notSeen(`${seen}, none once a look-up had told how it ended. ${STANDS_STILL}`)
      return fail(
        `${late.length} look-ups asked for what was known already.`,
        ...late.slice(0, 4).map((each) => ofRequest(each, 'look-up')),
      )
    },
  },
} as const satisfies Checks

const PAYMENTS = ['createCollection', 'createGlobalPayment', 'createWithdrawal']

const isPayment = ({ operation }: ShopRequest) => PAYMENTS.includes(operation ?? '')

const isTaken = ({ status }: ShopRequest) => status !== null && status >= 200 && status < 300

/** The caller's own reference of a payment. */
const referenceOf = ({ body }: ShopRequest) =>
  textAt(body, 'external_reference') ?? textAt(body, 'payment_config', 'reference') ?? ''

const requestsOf = (records: readonly WorldRecord[], without: readonly WorldRecord['check'][] = []) =>
  records.filter(({ check }) => !without.includes(check)).flatMap(({ requests }) => requests)

const FRACTION = /^\d+\.\d*[1-9]/

const IN_SHILLINGS = ['KES', 'TZS', 'UGX', undefined]

const LOCAL =
  /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\]|host\.(docker|testcontainers)\.internal|[\w-]+$)|\.(localhost|local|test|internal)$/

/** Whether an address belongs to this machine or its network. */
export const isLocal = (url: string): boolean => isUrl(url) && LOCAL.test(new URL(url).hostname)

/** The hosts that received callbacks. */
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

const isPayout = ({ operation, body }: ShopRequest) =>
  operation === 'createWithdrawal' ||
  (operation === 'createGlobalPayment' &&
    textAt(body, 'request_type') !== 'collection' &&
    /withdraw|payout/.test(JSON.stringify(body)))
/** Groups look-ups by payment. */
function lookUpsOf({ requests }: WorldRecord): ReadonlyMap<string, readonly ShopRequest[]> {
  const found = new Map<string, ShopRequest[]>()
  for (const each of requests) {
    if (!isLookUp(each)) continue
    const id = textAt(each.body, 'request_id') ?? ''
    found.set(id, [...(found.get(id) ?? []), each])
  }
  return found
}

/** The whole record of a world contains the order of look-ups even if the clock stands still. */
const isTold = ({ real, check }: WorldRecord) => real || check === null

const STANDS_STILL = 'The world’s clock stands still: how long the shop waited is not on record.'

/** Returns the average time between requests in milliseconds. */
const gapOf = (asked: readonly ShopRequest[]): number =>
  asked.length < 2 ? Infinity : (asked.at(-1)!.came - asked[0]!.came) / (asked.length - 1)

const MOST_LOOK_UPS = 100

/** Milliseconds between two look-ups; slightly less than the second that the check requires. */
const LEAST_GAP = 900

const FINAL = /"status":"(success|failed|reversed)"/i

/** The checks during which look-ups and callbacks agree. */
const ORDINARY: readonly WorldRecord['check'][] = [null, 'CLI-6', 'CLI-8', 'CLI-16']
