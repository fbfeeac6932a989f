import type { WorldRecord, ShopRequest } from '../world-record.ts'
import { type Checks, fail, notSeen, pass, type RecordCheck } from './check.ts'
import { ofRequest } from '../evidence.ts'

const done = {
  level: 'recommended',
  how: 'record',
  probe: false,
  tried: 'The record is searched for it.',
} as const

const transactionsOf = (records: readonly WorldRecord[]) =>
  records.flatMap(({ transactions }) => transactions)

const requestsOf = (records: readonly WorldRecord[]) => records.flatMap(({ requests }) => requests)

/** Pay-ins with a status and a delivered callback. */
const told = (records: readonly WorldRecord[], status: 'SUCCESS' | 'FAILED' | 'REVERSED') =>
  transactionsOf(records).filter(
    (each) => each.direction === 'payin' && each.status === status && each.callback_state === 'delivered',
  )

const once = (what: string, count: (records: readonly WorldRecord[]) => number): RecordCheck => ({
  judge(records) {
    const found = count(records)
    return found > 0 ? pass(`${what}: ${found}.`) : notSeen(`${what}: none on record.`)
  },
})

const asked = (operations: readonly string[]) => (records: readonly WorldRecord[]) =>
  requestsOf(records).filter(
    ({ operation, status }) => operations.includes(operation ?? '') && status === 200,
  ).length

/** The error codes that a client met, each once. */
const errorCodesOf = (requests: readonly ShopRequest[]): readonly string[] => [
  ...new Set(
    requests.flatMap(({ answer }) => {
      const { error_code } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
        error_code?: unknown
      }
      return typeof error_code === 'string' ? [error_code] : []
    }),
  ),
]

export const onboarding = {
  'ONB-1': {
    ...done,
    level: 'mandatory',
    title: 'A payment succeeded',
    expected: 'A pay-in succeeded and its callback was delivered.',
    why: 'Whoever has not seen it work does not know whether it does.',
    mend: 'Take a payment from the first request to the delivered order.',
    docs: 'quick-start.md#4-pay-over-http',
    ...once(
      'Pay-ins that succeeded, with a delivered callback',
      (records) => told(records, 'SUCCESS').length,
    ),
  },
  'ONB-2': {
    ...done,
    level: 'mandatory',
    title: 'A payment failed',
    expected: 'A pay-in failed and its callback was delivered.',
    why: 'One payment in five fails. What the customer is shown then should have been seen once.',
    mend: 'Take a payment from 0700000002: its payer cancels.',
    docs: 'outcomes.md#magic-numbers',
    ...once('Pay-ins that failed, with a delivered callback', (records) => told(records, 'FAILED').length),
  },
  'ONB-3': {
    ...done,
    feature: 'reversals',
    title: 'A payment was reversed',
    expected: 'A payment was reversed and the callback of it was delivered.',
    why: 'Reversals are rare and come late; nobody notices that they are not handled until money is missing.',
    mend: 'Take a payment from 0700000043: it is reversed ten minutes later.',
    docs: 'outcomes.md#magic-numbers',
    ...once(
      'Payments that were reversed, with a delivered callback',
      (records) => told(records, 'REVERSED').length,
    ),
  },
  'ONB-4': {
    ...done,
    feature: 'withdraw',
    title: 'A payout was made',
    expected: 'A payout was taken and became final.',
    why: 'The first payout with real money is a bad moment to learn how balances and refusals look.',
    mend: 'Make a withdrawal, and one to 0700000021, whose recipient does not exist.',
    docs: 'payments.md#pay-out',
    ...once(
      'Payouts that became final',
      (records) =>
        transactionsOf(records).filter(
          ({ direction, status }) => direction === 'payout' && status !== 'QUEUED',
        ).length,
    ),
  },
  'ONB-5': {
    ...done,
    feature: 'channels',
    title: 'The payment channels were listed',
    expected: 'listPaymentChannels was asked.',
    why: 'The id of a channel that is written into the configuration is another one in production.',
    mend: 'Ask GET /api/v2/payment_channels and choose by what it answers.',
    docs: 'glossary.md#rails-and-routes',
    ...once('Listings of payment channels', asked(['listPaymentChannels'])),
  },
  'ONB-6': {
    ...done,
    feature: 'kyc',
    title: 'A KYC submission was approved and one was rejected',
    expected: 'Both ends of a review were reached.',
    why: 'A rejection has reasons that somebody has to be shown, and a way to submit anew.',
    mend: 'Submit with the phone 0700000101, which is approved, and 0700000102, which is rejected.',
    docs: 'outcomes.md#magic-numbers',
    judge(records) {
      const seen = new Set(records.flatMap(({ kyc }) => kyc.map(({ status }) => status)))
      const ends = (['approved', 'rejected'] as const).filter((end) => seen.has(end))
      if (ends.length === 2) return pass('One submission was approved and one rejected.')
      return notSeen(ends.length === 1 ? `Only one that was ${ends[0]}.` : 'No review came to an end.')
    },
  },
  'ONB-7': {
    ...done,
    feature: 'invitations',
    title: 'An invitation was accepted',
    expected: 'An invited person became a member.',
    why: 'Members that cannot get in are noticed on the day when somebody is on holiday.',
    mend: 'Invite a member and follow the link of the mail in GET /sandbox/outbox.',
    docs: 'glossary.md#who',
    ...once(
      'Invitations accepted',
      (records) =>
        records.flatMap(({ invites }) => invites).filter(({ status }) => status === 'accepted').length,
    ),
  },
  'ONB-8': {
    ...done,
    feature: 'global',
    title: 'Discovery was asked before global payments',
    expected: 'Countries, providers or networks were asked for before the first global payment.',
    why: 'What a country has changes. Lists that are copied into the code are wrong after a while.',
    mend: 'Ask the operations of discovery, and keep what they say for a day at most.',
    docs: 'glossary.md#rails-and-routes',
    judge(records) {
      const all = requestsOf(records)
      const first = all.findIndex(({ operation }) => operation === 'createGlobalPayment')
      if (first < 0) return notSeen('No global payment is on record.')
      const found = all
        .slice(0, first)
        .find(({ path, method }) => method === 'GET' && path.startsWith('/api/global/'))
      if (found)
        return pass(`${found.path} was asked before the first global payment.`, ofRequest(found, 'discovery'))
      return fail(
        'The first global payment came before any request of discovery.',
        ofRequest(all[first]!, 'payment'),
      )
    },
  },
  'ONB-9': {
    ...done,
    title: 'Each error of the service was met once',
    expected:
      'invalid_argument, unauthenticated, permission_denied and resource_not_found each were answered once.',
    why: 'What a program does at an error that it never met is chance.',
    mend: 'Send a wrong field, an account that is not yours and an id that is not there, have the scenario unauthenticated answer once, for a wrong password is on no world’s record, and look what the shop does.',
    docs: 'troubleshooting.md',
    judge(records) {
      const met = errorCodesOf(requestsOf(records))
      const missing = MEANT.filter((code) => !met.includes(code))
      if (missing.length === 0) return pass(`Met: ${met.join(', ')}.`)
      return notSeen(`Not met yet: ${missing.join(', ')}.`)
    },
  },
} as const satisfies Checks

const MEANT = ['invalid_argument', 'unauthenticated', 'permission_denied', 'resource_not_found']
