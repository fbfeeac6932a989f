import type { WorldRecord } from '../world-record.ts'
import { coverageOf } from '../coverage.ts'
import { fail, isTaken, notSeen, pass, requestsOf, sharing } from './check.ts'
import type { Exchange } from '../certification.ts'
import { ofAttempt, ofRequest } from '../evidence.ts'
import { shownBy } from '../profile.ts'

type Find = (records: readonly WorldRecord[]) => readonly Exchange[]

/** Returns the delivered callbacks of pay-ins with a status. */
const withCallback =
  (status: 'SUCCESS' | 'FAILED' | 'REVERSED'): Find =>
  (records) =>
    records.flatMap(({ transactions, callbacks }) =>
      transactions
        .filter(
          (each) =>
            each.direction === 'payin' && each.status === status && each.callback_state === 'delivered',
        )
        .flatMap(({ reference }) => {
          const told = callbacks.filter(({ callback }) => callback.transaction === reference)
          const attempt = told.flatMap(({ attempts }) => attempts).find(({ response }) => response !== null)
          return attempt ? [ofAttempt(attempt, 'POST', 'callback')] : []
        }),
    )

const once = (what: string, find: Find) => ({
  judge(records: readonly WorldRecord[]) {
    const found = find(records)
    return found.length > 0
      ? pass(`${what}: ${found.length}.`, ...found.slice(0, 2))
      : notSeen(`${what}: none in the request log.`)
  },
})

const succeeded =
  (operation: string): Find =>
  (records) =>
    requestsOf(records)
      .filter((each) => each.operation === operation && isTaken(each))
      .map((each) => ofRequest(each, operation))

export const onboarding = sharing({ level: 'recommended', tried: 'Certify searches the request log.' })({
  'ONB-1': {
    level: 'mandatory',
    title: 'A payment succeeded',
    expected: 'A pay-in succeeded and its callback was delivered.',
    impact: 'Only a complete payment shows that the integration works.',
    fix: 'Take a payment from the first request to the delivered order.',
    docs: 'quick-start.md#pay-over-http',
    ...once('Pay-ins that succeeded, with a delivered callback', withCallback('SUCCESS')),
  },
  'ONB-2': {
    level: 'mandatory',
    title: 'A payment failed',
    expected: 'A pay-in failed and its callback was delivered.',
    impact: 'One payment in five fails. Check at least once what the customer sees then.',
    fix: 'Take a payment from 0700000002: its payer cancels.',
    docs: 'outcomes.md#test-numbers',
    ...once('Pay-ins that failed, with a delivered callback', withCallback('FAILED')),
  },
  'ONB-3': {
    feature: 'reversals',
    title: 'A payment was reversed',
    expected: 'A payment was reversed and its callback was delivered.',
    impact: 'Reversals are rare and late; unhandled reversals go unnoticed until money is missing.',
    fix: 'Take a payment from 0700000043: it is reversed ten minutes later.',
    docs: 'outcomes.md#test-numbers',
    ...once('Payments that were reversed, with a delivered callback', withCallback('REVERSED')),
  },
  'ONB-4': {
    feature: 'withdraw',
    title: 'A payout was made',
    expected: 'A payout was accepted and reached a final status.',
    impact: 'The first payout with real money is a bad moment to discover how balances and rejections work.',
    fix: 'Make a withdrawal, and one to 0700000021, whose recipient does not exist.',
    docs: 'payments.md#pay-out',
    ...once('Payouts that became final', (records) => {
      const final = new Set(
        records.flatMap(({ transactions }) =>
          transactions
            .filter(({ direction, status }) => direction === 'payout' && status !== 'QUEUED')
            .map(({ external_reference }) => external_reference),
        ),
      )
      return requestsOf(records)
        .filter(({ body }) => [...final].some((name) => name !== '' && JSON.stringify(body).includes(name)))
        .map((each) => ofRequest(each, 'payout'))
    }),
  },
  'ONB-5': {
    feature: 'channels',
    title: 'The payment channels were listed',
    expected: 'The shop called listPaymentChannels.',
    impact: 'A channel id that is written into the configuration is different in production.',
    fix: 'Call GET /api/v2/payment_channels and choose a channel from the response.',
    docs: 'glossary.md#rails-and-routes',
    ...once('Lists of payment channels', succeeded('listPaymentChannels')),
  },
  'ONB-6': {
    feature: 'kyc',
    title: 'A KYC submission was approved and one was rejected',
    expected: 'One review was approved and one was rejected.',
    impact: 'A rejection has reasons to display and can be followed by a new submission.',
    fix: 'Submit with the phone 0700000101, which is approved, and 0700000102, which is rejected.',
    docs: 'outcomes.md#test-numbers',
    judge(records) {
      const seen = new Set(records.flatMap(({ kyc }) => kyc.map(({ status }) => status)))
      const ends = (['approved', 'rejected'] as const).filter((end) => seen.has(end))
      if (ends.length === 2)
        return pass(
          'One submission was approved and one rejected.',
          ...succeeded('submitKyc')(records).slice(0, 2),
        )
      return notSeen(
        ends.length === 1 ? `Only one review, which was ${ends[0]}.` : 'No review was completed.',
      )
    },
  },
  'ONB-7': {
    feature: 'invitations',
    title: 'An invitation was accepted',
    expected: 'An invited person became a member.',
    impact: 'A broken invitation is noticed on the day when a colleague is on holiday.',
    fix: 'Invite a member and follow the link in the e-mail from GET /sandbox/outbox.',
    docs: 'glossary.md#who',
    ...once('Invitations accepted', (records) => {
      const accepted = records.flatMap(({ invites }) => invites).filter(({ status }) => status === 'accepted')
      return succeeded('inviteMember')(records).slice(0, accepted.length)
    }),
  },
  'ONB-8': {
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
    title: 'Each error of the service occurred once',
    expected:
      'The service responded at least once with each of invalid_argument, unauthenticated, permission_denied and resource_not_found.',
    impact: 'Untested error handling works by chance.',
    fix: 'Cause each error once, as the result describes, and check what the shop does.',
    docs: 'troubleshooting.md',
    judge(records) {
      const requests = requestsOf(records)
      const { met } = coverageOf(records).errors
      const missing = Object.entries(REQUIRED).filter(([code]) => !met.includes(code))
      const refused = requests.filter(({ status }) => status !== null && status >= 400).slice(0, 2)
      if (missing.length === 0)
        return pass(`Occurred: ${met.join(', ')}.`, ...refused.map((each) => ofRequest(each, 'error')))
      return notSeen(`To do: ${missing.map(([code, how]) => `for ${code}, ${how}`).join('; ')}.`)
    },
  },
  'ONB-10': {
    level: 'mandatory',
    title: 'Declares the features that it uses',
    tried: 'Certify compares the operations in the request log with the features of the profile.',
    expected: 'Every feature that the request log shows is in the profile.',
    impact: 'Checks of a feature that the profile does not list are left out, so that nobody has tried it.',
    fix: 'Add the feature to features of the profile.',
    docs: 'certification.md#the-profile',
    judge(records, profile) {
      if (!profile)
        return { verdict: 'not_applicable', observed: 'Without a profile, no feature is declared.' }
      const requests = requestsOf(records).filter(({ operation }) => operation !== null)
      if (requests.length === 0) return notSeen('The request log contains no request of the shop.')
      const hidden = shownBy.flatMap(([feature, pattern]) => {
        const shown = requests.find(({ operation }) => pattern.test(operation!))
        return shown && !profile.features.includes(feature) ? [{ feature, shown }] : []
      })
      if (hidden.length === 0)
        return pass(
          `${requests.length} requests, all of features that the profile lists.`,
          ofRequest(requests[0]!, 'request'),
        )
      return fail(
        `The shop uses ${hidden.map(({ feature, shown }) => `${feature} (${shown.operation})`).join(', ')}, which the profile does not list.`,
        ...hidden.map(({ feature, shown }) => ofRequest(shown, feature)),
      )
    },
  },
})

/** The errors that a shop must have met, and how to cause each. */
const REQUIRED = {
  invalid_argument: 'send a payment with a wrong field',
  unauthenticated: 'apply the outcome unauthenticated, since no world logs a wrong password',
  permission_denied: 'send the account of another Team',
  resource_not_found: 'query the status of an unknown id',
}
