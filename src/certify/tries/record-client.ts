/** What a client sent, judged from the record alone. */
import { isUrl } from '../../lib/text/is-url.ts'
import { ofRequest } from '../exchange.ts'
import type { ShopRequest, Scene } from '../scene.ts'
import { FAULTS, isLookUp, textAt } from './recorded.ts'
import { fail, type Finding, type RecordCheck, notSeen, pass } from './try.ts'

const PAYMENTS = ['createCollection', 'createGlobalPayment', 'createWithdrawal']
const isPayment = ({ operation }: ShopRequest) => PAYMENTS.includes(operation ?? '')
const isTaken = ({ status }: ShopRequest) => status !== null && status >= 200 && status < 300

/** The caller's own reference of a payment. */
const referenceOf = ({ body }: ShopRequest) =>
  textAt(body, 'external_reference') ?? textAt(body, 'payment_config', 'reference') ?? ''

const requestsOf = (scenes: readonly Scene[], without: readonly Scene['check'][] = []) =>
  scenes.filter(({ check }) => !without.includes(check)).flatMap(({ requests }) => requests)

const ownReference: RecordCheck = {
  judge(scenes) {
    const taken = requestsOf(scenes, FAULTS).filter((each) => isPayment(each) && isTaken(each))
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
}

const FRACTION = /^\d+\.\d*[1-9]/
const IN_SHILLINGS = ['KES', 'TZS', 'UGX', undefined]

const goodForm: RecordCheck = {
  judge(scenes) {
    const payments = requestsOf(scenes).filter(isPayment)
    if (payments.length === 0) return notSeen('No payment is on record.')
    const faults = new Map<string, ShopRequest>()
    const note = (what: string, asked: ShopRequest) => faults.has(what) || faults.set(what, asked)
    const forms = new Map<string, ShopRequest>()
    // Where a callback went, SEC-2 sees whether there is TLS.
    const reached = new Set(scenes.flatMap(hostsOf))
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
      note(`phone numbers in ${forms.size} forms (${[...forms.keys()].join(', ')})`, [...forms.values()][0]!)
    if (faults.size === 0) return pass(`${payments.length} payments are in good form.`)
    return fail(
      `Among ${payments.length} payments there is ${[...faults.keys()].slice(0, 4).join(', ')}.`,
      ...[...faults.values()].slice(0, 4).map((each) => ofRequest(each, 'payment')),
    )
  },
}

const LOCAL =
  /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\]|host\.(docker|testcontainers)\.internal|[\w-]+$)|\.(localhost|local|test|internal)$/

/** Whether an address is of this machine or network, where nobody else listens. */
export const isLocal = (url: string): boolean => isUrl(url) && LOCAL.test(new URL(url).hostname)

/** Whom callbacks were sent to. */
const hostsOf = ({ callbacks }: Scene): readonly string[] =>
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

const payouts: RecordCheck = {
  judge(scenes) {
    const findings: Finding[] = []
    for (const { requests, callbacks } of scenes) {
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
      findings.find(({ verdict }) => verdict === 'fail') ?? pass(`${findings.length} payouts were looked at.`)
    )
  },
}

export const isPayout = ({ operation, body }: ShopRequest) =>
  operation === 'createWithdrawal' ||
  (operation === 'createGlobalPayment' &&
    textAt(body, 'request_type') !== 'collection' &&
    /withdraw|payout/.test(JSON.stringify(body)))

export const recordClient = {
  'CLI-1': ownReference,
  'CLI-12': goodForm,
  'CLI-14': payouts,
} as const
