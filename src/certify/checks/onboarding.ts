import type { WorldRecord, ShopRequest } from '../world-record.ts'
import { type Checks, fail, notSeen, pass, type RecordCheck } from './check.ts'
import { ofRequest } from '../evidence.ts'

const done = {
  level: 'recommended',
  mode: 'passive',
  probe: false,
  tried: 'Certify searches the request log.',
} as const

const transactionsOf = (records: readonly WorldRecord[]) =>
  records.flatMap(({ transactions }) => transactions)

const requestsOf = (records: readonly WorldRecord[]) => records.flatMap(({ requests }) => requests)

/** Returns pay-ins with a status and a delivered callback. */
const withCallback = (records: readonly WorldRecord[], status: 'SUCCESS' | 'FAILED' | 'REVERSED') =>
  transactionsOf(records).filter(
    (each) => each.direction === 'payin' && each.status === status && each.callback_state === 'delivered',
  )

const once = (what: string, count: (records: readonly WorldRecord[]) => number): RecordCheck => ({
  judge(records) {
    const found = count(records)
    return found > 0 ? pass(`${what}: ${found}.`) : notSeen(`${what}: none in the request log.`)
  },
})

const succeeded = (operations: readonly string[]) => (records: readonly WorldRecord[]) =>
  requestsOf(records).filter(
    ({ operation, status }) => operations.includes(operation ?? '') && status === 200,
  ).length

/** Returns the distinct error codes of the responses. */
const errorCodesOf = (requests: readonly ShopRequest[]): readonly string[] => [
  ...new Set(
    requests.flatMap(({ response: answer }) => {
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
    impact: 'Only a complete payment shows that the integration works.',
    fix: 'Take a payment from the first request to the delivered order.',
    docs: 'quick-start.md#4-pay-over-http',
    ...once(
      'Pay-ins that succeeded, with a delivered callback',
      (records) => withCallback(records, 'SUCCESS').length,
    ),
  },
  'ONB-2': {
    ...done,
    level: 'mandatory',
    title: 'A payment failed',
    expected: 'A pay-in failed and its callback was delivered.',
    impact: 'One payment in five fails. Check at least once what the customer sees then.',
    fix: 'Take a payment from 0700000002: its payer cancels.',
    docs: 'outcomes.md#test-numbers',
    ...once(
      'Pay-ins that failed, with a delivered callback',
      (records) => withCallback(records, 'FAILED').length,
    ),
  },
  'ONB-3': {
    ...done,
    feature: 'reversals',
    title: 'A payment was reversed',
    expected: 'A payment was reversed and its callback was delivered.',
    impact: 'Reversals are rare and late; unhandled reversals go unnoticed until money is missing.',
    fix: 'Take a payment from 0700000043: it is reversed ten minutes later.',
    docs: 'outcomes.md#test-numbers',
    ...once(
      'Payments that were reversed, with a delivered callback',
      (records) => withCallback(records, 'REVERSED').length,
    ),
  },
  'ONB-4': {
    ...done,
    feature: 'withdraw',
    title: 'A payout was made',
    expected: 'A payout was accepted and reached a final status.',
    impact: 'The first payout with real money is a bad moment to discover how balances and rejections work.',
    fix: 'Make a withdrawal, and one to 0700000021, whose recipient does not exist.',
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
    expected: 'The shop called listPaymentChannels.',
    impact: 'A channel id that is written into the configuration is different in production.',
    fix: 'Call GET /api/v2/payment_channels and choose a channel from the response.',
    docs: 'glossary.md#rails-and-routes',
    ...once('Lists of payment channels', succeeded(['listPaymentChannels'])),
  },
  'ONB-6': {
    ...done,
    feature: 'kyc',
    title: 'A KYC submission was approved and one was rejected',
    expected: 'One review was approved and one was rejected.',
    impact: 'A rejection has reasons to display and can be followed by a new submission.',
    fix: 'Submit with the phone 0700000101, which is approved, and 0700000102, which is rejected.',
    docs: 'outcomes.md#test-numbers',
    judge(records) {
      const seen = new Set(records.flatMap(({ kyc }) => kyc.map(({ status }) => status)))
      const ends = (['approved', 'rejected'] as const).filter((end) => seen.has(end))
      if (ends.length === 2) return pass('One submission was approved and one rejected.')
      return notSeen(
        ends.length === 1 ? `Only one review, which was ${ends[0]}.` : 'No review was completed.',
      )
    },
  },
  'ONB-7': {
    ...done,
    feature: 'invitations',
    title: 'An invitation was accepted',
    expected: 'An invited person became a member.',
    impact: 'A broken invitation is noticed on the day when a colleague is on holiday.',
    fix: 'Invite a member and follow the link in the e-mail from GET /sandbox/outbox.',
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
    title: 'Global payments followed discovery',
    expected: 'The shop requested countries, providers or networks before the first global payment.',
    impact: 'The options of a country change. Lists copied into the code become outdated.',
    fix: 'Call the discovery operations, and cache their responses for a day at most.',
    docs: 'glossary.md#rails-and-routes',
    judge(records) {
      const all = requestsOf(records)
      const first = all.findIndex(({ operation }) => operation === 'createGlobalPayment')
      if (first < 0) return notSeen('No global payment is on record.')
      const found = all
        .slice(0, first)
        .find(({ path, method }) => method === 'GET' && path.startsWith('/api/global/'))
      if (found)
        return pass(
          `The shop requested ${found.path} before the first global payment.`,
          ofRequest(found, 'discovery'),
        )
      return fail(
        'The first global payment preceded any discovery request.',
        ofRequest(all[first]!, 'payment'),
      )
    },
  },
  'ONB-9': {
    ...done,
    title: 'Each error of the service occurred once',
    expected:
      'The service responded at least once with each of invalid_argument, unauthenticated, permission_denied and resource_not_found.',
    impact: 'Untested error handling works by chance.',
    fix: 'Send a wrong field, an account that is not yours and an unknown id, apply the outcome unauthenticated once (a wrong password is in no world’s request log), and check what the shop does.',
    docs: 'troubleshooting.md',
    judge(records) {
      const met = errorCodesOf(requestsOf(records))
      const missing = REQUIRED.filter((code) => !met.includes(code))
      if (missing.length === 0) return pass(`Occurred: ${met.join(', ')}.`)
      return notSeen(`Did not occur yet: ${missing.join(', ')}.`)
    },
  },
} as const satisfies Checks

const REQUIRED = ['invalid_argument', 'unauthenticated', 'permission_denied', 'resource_not_found']
