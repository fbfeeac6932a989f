/** What a client sent, judged from the record alone. */
import { isUrl } from '../../is-url.ts'
import { ofRequest } from '../exchange.ts'
import type { Asked, Scene } from '../scene.ts'
import { fail, type Finding, type Judged, notSeen, pass } from './try.ts'

const PAYMENTS = ['createCollection', 'createGlobalPayment', 'createWithdrawal']
const isPayment = ({ operation }: Asked) => PAYMENTS.includes(operation ?? '')
const isLookUp = ({ operation }: Asked) => operation === 'getTransactionStatus'
const isTaken = ({ status }: Asked) => status !== null && status >= 200 && status < 300
const FAULTS: readonly Scene['check'][] = ['CLI-2', 'CLI-3', 'CLI-4', 'CLI-5', 'CLI-8', 'CLI-9']

const textAt = (value: unknown, ...path: readonly string[]): string | undefined => {
  let here = value
  for (const step of path) here = (here as Record<string, unknown> | null | undefined)?.[step]
  return typeof here === 'string' || typeof here === 'number' ? String(here) : undefined
}

/** The caller's own reference of a payment. */
const referenceOf = ({ body }: Asked) =>
  textAt(body, 'external_reference') ?? textAt(body, 'payment_config', 'reference') ?? ''

const requestsOf = (scenes: readonly Scene[], without: readonly Scene['check'][] = []) =>
  scenes.filter(({ check }) => !without.includes(check)).flatMap(({ requests }) => requests)

const ownReference: Judged = {
  judge(scenes) {
    // Where requests are met by faults, another check counts them.
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

/** Look-ups by the payment that they ask for. */
function lookUpsOf({ requests }: Scene): ReadonlyMap<string, readonly Asked[]> {
  const found = new Map<string, Asked[]>()
  for (const each of requests) {
    if (!isLookUp(each)) continue
    const id = textAt(each.body, 'request_id') ?? ''
    found.set(id, [...(found.get(id) ?? []), each])
  }
  return found
}

const MOST_LOOK_UPS = 100
/** Between two look-ups, milliseconds; a little less than the second that is asked for. */
const LEAST_GAP = 900

const unhurried: Judged = {
  judge(scenes) {
    // Before it sends again what was not answered, a careful client asks each time.
    const groups = scenes
      .filter(({ real, check }) => real && !FAULTS.includes(check))
      .flatMap((scene) => [...lookUpsOf(scene).values()])
    if (groups.length === 0) return notSeen('No look-up is on record.')
    const many = groups.filter(({ length }) => length > 1)
    const hurried = many.filter((each) => (each.at(-1)!.came - each[0]!.came) / (each.length - 1) < LEAST_GAP)
    const endless = groups.filter(({ length }) => length > MOST_LOOK_UPS)
    const all = groups.reduce((sum, { length }) => sum + length, 0)
    if (hurried.length + endless.length === 0) return pass(`${all} look-ups for ${groups.length} payments.`)
    const wrong = [...hurried, ...endless][0]!
    const span = ((wrong.at(-1)!.came - wrong[0]!.came) / 1000).toFixed(1)
    return fail(
      `For one payment there were ${wrong.length} look-ups in ${span} s.`,
      ...wrong.slice(0, 4).map((each, n) => ofRequest(each, `look-up ${n + 1}`)),
    )
  },
}

const FRACTION = /^\d+\.\d*[1-9]/
const IN_SHILLINGS = ['KES', 'TZS', 'UGX', undefined]

const goodForm: Judged = {
  judge(scenes) {
    const payments = requestsOf(scenes).filter(isPayment)
    if (payments.length === 0) return notSeen('No payment is on record.')
    const faults = new Map<string, Asked>()
    const note = (what: string, asked: Asked) => faults.has(what) || faults.set(what, asked)
    const forms = new Map<string, Asked>()
    for (const each of payments) {
      const amount = textAt(each.body, 'amount') ?? textAt(each.body, 'payment_config', 'amount') ?? ''
      const currency = textAt(each.body, 'currency') ?? textAt(each.body, 'payment_config', 'currency')
      if (FRACTION.test(amount) && IN_SHILLINGS.includes(currency)) note(`an amount of ${amount}`, each)
      const phone = textAt(each.body, 'phone_number')
      if (phone !== undefined)
        forms.set(phone.startsWith('+') ? '+254…' : phone.startsWith('0') ? '07…' : '254…', each)
      const callback =
        textAt(each.body, 'callback_url') ?? textAt(each.body, 'payment_config', 'callback_url')
      const fault = callback === undefined || callback === '' ? undefined : addressFault(callback)
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

function addressFault(url: string): string | undefined {
  if (url.includes('[redacted]@')) return 'a callback_url with credentials'
  if (!isUrl(url)) return undefined
  const { protocol, username, password } = new URL(url)
  if (username !== '' || password !== '') return 'a callback_url with credentials'
  return protocol === 'https:' || isLocal(url) ? undefined : 'a callback_url without https'
}

const payouts: Judged = {
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

export const isPayout = ({ operation, body }: Asked) =>
  operation === 'createWithdrawal' ||
  (operation === 'createGlobalPayment' &&
    textAt(body, 'request_type') !== 'collection' &&
    /withdraw|payout/.test(JSON.stringify(body)))

const FINAL = /"status":"(success|failed|reversed)"/i
/** During these look-ups contradict callbacks, or callbacks are not to be believed. */
const ORDINARY: readonly Scene['check'][] = [null, 'CLI-6', 'CLI-8', 'CLI-16']

const content: Judged = {
  judge(scenes) {
    const judged = scenes.filter(({ real, check }) => real && ORDINARY.includes(check))
    const groups = judged.flatMap((scene) =>
      [...lookUpsOf(scene)].map(([id, asked]) => ({ id, asked, scene })),
    )
    if (groups.length === 0) return notSeen('No look-up is on record.')
    const late: Asked[] = []
    for (const { id, asked, scene } of groups) {
      const { callbacks, transactions } = scene
      const names = transactions.find((each) =>
        [each.reference, each.external_reference, each.checkout_request_id].includes(id),
      )
      const delivered = callbacks.filter(
        ({ callback }) => callback.transaction === names?.reference && callback.state === 'delivered',
      )
      // On record are whole seconds of the world's clock; what came in the same second may have come before.
      const told = Math.min(...delivered.map(({ attempts }) => Date.parse(attempts.at(-1)?.at ?? '') + 1_000))
      const reversed = names?.status === 'REVERSED'
      let known = false
      for (const each of asked) {
        if (known || (!reversed && Date.parse(each.at) > told)) late.push(each)
        known ||= FINAL.test(JSON.stringify(each.answer))
      }
    }
    if (late.length === 0)
      return pass(`${groups.length} payments were looked up, none once it was known how it ended.`)
    return fail(
      `${late.length} look-ups asked for what was known already.`,
      ...late.slice(0, 4).map((each) => ofRequest(each, 'look-up')),
    )
  },
}

export const recordClient = {
  'CLI-1': ownReference,
  'CLI-7': unhurried,
  'CLI-12': goodForm,
  'CLI-14': payouts,
  'CLI-15': content,
} as const
