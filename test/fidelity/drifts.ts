/** Forty ways in which the service may differ, one behaviour each. */
import type { Drift } from './drifting-service.ts'

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any JSON
type Json = any

const ok = (
  operation: string,
  change: (body: Json, status: number) => void,
  differences: readonly string[],
  name: string,
): Drift => ({
  name,
  response: (told, asked) => {
    if (asked.operation === operation && told.status < 400) change(told.body, told.status)
  },
  differences,
})

const rejected = (
  operation: string,
  matches: RegExp,
  change: (told: { status: number; body: Json; headers: Record<string, string> }) => void,
  differences: readonly string[],
  name: string,
): Drift => ({
  name,
  response: (told, asked) => {
    if (asked.operation === operation && told.status >= 400 && matches.test(told.body.error_message))
      change(told)
  },
  differences,
})

const called = (
  operation: string,
  change: (told: { headers: Record<string, string>; body: Json }) => void,
  differences: readonly string[],
  name: string,
): Drift => ({
  name,
  callback: (told, of) => {
    if (operation === '' || of === operation) change(told)
  },
  differences,
})

const rename = (body: Json, from: string, to: string) => {
  body[to] = body[from]
  delete body[from]
}
const refusal = (status: number, error_message: string) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: { error_code: 'invalid_argument', error_message, status_code: status },
})
let drawn = 100_000
const next = () => String((drawn += 7_919))

export const drifts: readonly Drift[] = [
  // Responses of collections
  ok(
    'createCollection',
    (body) => rename(body, 'CheckoutRequestID', 'checkout_id'),
    ['createCollection 201 CheckoutRequestID missing', 'createCollection 201 checkout_id extra'],
    'renamed field',
  ),
  ok(
    'createCollection',
    (body) => (body.channel = 'stk'),
    ['createCollection 201 channel extra'],
    'additional field',
  ),
  ok(
    'createCollection',
    (body) => (body.merchant_reference = body.reference),
    ['createCollection 201 merchant_reference extra'],
    'additional field with the reference',
  ),
  ok(
    'createCollection',
    (body) => delete body.success,
    ['createCollection 201 success missing'],
    'missing field',
  ),
  ok(
    'createCollection',
    (body) => (body.status = 'PENDING'),
    ['createCollection 201 status value'],
    'another word',
  ),
  {
    name: 'another status of success',
    response: (told, asked) =>
      void (asked.operation === 'createCollection' && told.status === 201 && (told.status = 202)),
    differences: ['createCollection 201  status'],
  },
  {
    name: 'additional header',
    response: (told, asked) =>
      void (
        asked.operation === 'createCollection' &&
        told.status < 400 &&
        (told.headers['x-request-id'] = `req-${next()}`)
      ),
    differences: ['createCollection 201 header x-request-id header'],
  },
  // Responses of payouts
  ok(
    'createWithdrawal',
    (body) => (body.response_code = 200),
    ['createWithdrawal 200 response_code type'],
    'text as a number',
  ),
  ok(
    'createWithdrawal',
    (body) => (body.checkout_request_id = `CHK-${next()}`),
    ['createWithdrawal 200 checkout_request_id format'],
    'another form of an identifier',
  ),
  ok(
    'createWithdrawal',
    (body) => (body.status = 'queued'),
    ['createWithdrawal 200 status value'],
    'lower case',
  ),
  ok(
    'createWithdrawal',
    (body) => (body.fee = 12.5),
    ['createWithdrawal 200 fee extra'],
    'additional number',
  ),
  // Responses of global payments
  ok(
    'createGlobalPayment',
    (body) => (body.status_code = 200),
    ['createGlobalPayment 200 status_code type'],
    'code as a number',
  ),
  ok(
    'createGlobalPayment',
    (body) => (body.message = 'Request accepted for processing'),
    ['createGlobalPayment 200 message message'],
    'another message',
  ),
  ok(
    'createGlobalPayment',
    (body) => (body.gateway = 'MPESA'),
    ['createGlobalPayment 200 gateway value'],
    'another gateway',
  ),
  ok(
    'createGlobalPayment',
    (body) => delete body.provider_response,
    ['createGlobalPayment 200 provider_response missing'],
    'missing object',
  ),
  // Status queries
  ok(
    'getTransactionStatus',
    (body) => (body.amount = String(body.amount)),
    ['getTransactionStatus 200 amount type'],
    'amount as text',
  ),
  ok(
    'getTransactionStatus',
    (body) => (body.transaction_date = body.transaction_date.slice(0, 10)),
    ['getTransactionStatus 200 transaction_date format'],
    'date without time',
  ),
  ok(
    'getTransactionStatus',
    (body) => rename(body, 'provider', 'provider_name'),
    ['getTransactionStatus 200 provider missing', 'getTransactionStatus 200 provider_name extra'],
    'renamed provider',
  ),
  rejected(
    'getTransactionStatus',
    /was not found/,
    (told) => (told.body.error_message = 'No such transaction'),
    ['getTransactionStatus 404 error_message message'],
    'another message of 404',
  ),
  rejected(
    'getTransactionStatus',
    /was not found/,
    (told) => (told.body.error_code = 'not_found'),
    ['getTransactionStatus 404 error_code value'],
    'another code of 404',
  ),
  // Lists
  ok(
    'listPaymentChannels',
    (body) => rename(body.pagination, 'num_pages', 'total_pages'),
    [
      'listPaymentChannels 200 pagination.num_pages missing',
      'listPaymentChannels 200 pagination.total_pages extra',
    ],
    'another pagination',
  ),
  {
    name: 'another size of pages',
    response: (told, asked) => {
      if (asked.operation !== 'listPaymentChannels' || told.status !== 200) return
      told.body.payment_channels.length = 2
      Object.assign(told.body.pagination, { per: 2, num_pages: 3, next_page: 2 })
    },
    differences: [
      'listPaymentChannels 200 payment_channels[] length',
      'listPaymentChannels 200 pagination.per value',
      'listPaymentChannels 200 pagination.num_pages value',
      'listPaymentChannels 200 pagination.next_page type',
    ],
  },
  ok(
    'listPaymentChannels',
    (body) => body.payment_channels.forEach((each: Json) => (each.is_active = each.is_active ? 'yes' : 'no')),
    ['listPaymentChannels 200 payment_channels[].is_active type'],
    'flag as text',
  ),
  ok(
    'listPaymentChannels',
    (body) => body.payment_channels.forEach((each: Json) => delete each.description),
    ['listPaymentChannels 200 payment_channels[].description missing'],
    'missing field in a list',
  ),
  // Errors
  rejected(
    'createCollection',
    /^phone_number/,
    (told) => (told.body.error_message = 'Invalid phone number'),
    ['createCollection 400 error_message message'],
    'another message of 400',
  ),
  rejected(
    'createCollection',
    /^amount/,
    (told) => (told.status = 422),
    ['createCollection 400  status'],
    'another status of a rejection',
  ),
  rejected(
    'createWithdrawal',
    /^channel/,
    (told) => rename(told.body, 'error_message', 'message'),
    ['createWithdrawal 400 error_message missing', 'createWithdrawal 400 message extra'],
    'another field of errors',
  ),
  rejected(
    'listPaymentChannels',
    /credentials/,
    (told) => (told.body.error_message = 'Unauthorized'),
    ['listPaymentChannels 401 error_message message'],
    'another message of 401',
  ),
  rejected(
    'listPaymentChannels',
    /credentials/,
    (told) => delete told.headers['www-authenticate'],
    ['listPaymentChannels 401 header www-authenticate header'],
    'missing header',
  ),
  // Rules
  {
    name: 'rejects a repeated reference',
    instead: ({ operation, body, before }) =>
      operation === 'createCollection' &&
      before.some((each) => each.external_reference === body.external_reference)
        ? refusal(409, 'external_reference was used before')
        : undefined,
    differences: ['createCollection 201  status'],
  },
  {
    name: 'rejects small amounts',
    instead: ({ operation, body }) =>
      operation === 'createCollection' && body.amount > 0 && body.amount < 20
        ? refusal(400, 'amount is below the minimum of 20')
        : undefined,
    differences: ['createCollection 201  status'],
  },
  {
    name: 'accepts a channel that the sandbox rejects',
    request: (body, operation) =>
      void (operation === 'createWithdrawal' && body.channel === 'pigeon' && (body.channel = 'phone')),
    differences: ['createWithdrawal 400  status'],
  },
  // Callbacks
  called(
    'createCollection',
    ({ body }) => rename(body, 'provider_reference', 'receipt'),
    ['createCollection callback provider_reference missing', 'createCollection callback receipt extra'],
    'renamed field of callbacks',
  ),
  called(
    'createCollection',
    ({ body }) => (body.amount = Math.round(body.amount)),
    ['createCollection callback amount value'],
    'rounded amount',
  ),
  called(
    'createWithdrawal',
    ({ body }) => (body.message = 'Payout completed'),
    ['createWithdrawal callback message message'],
    'another message of callbacks',
  ),
  called(
    'createGlobalPayment',
    ({ body }) => (body.event = 'payment.completed'),
    ['createGlobalPayment callback event extra'],
    'additional field of callbacks',
  ),
  called(
    '',
    ({ headers }) => delete headers['webhook-signature'],
    ['* callback header webhook-signature header'],
    'unsigned callbacks',
  ),
  { name: 'later callbacks', settles: 30_000, differences: ['* callback settle_after delay'] },
  {
    name: 'another schedule of retries',
    retries: [60_000, 300_000],
    differences: [' callback retry 1 retry', ' callback retry 2 retry'],
  },
  { name: 'every callback twice', times: 2, differences: ['* callback callbacks count'] },
]
