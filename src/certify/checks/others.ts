import type { CheckText } from './check.ts'

const recorded = { level: 'recommended', how: 'record', probe: false } as const
const done = { ...recorded, tried: 'The record is searched for it.' } as const

/** What has been done once before real money is asked for. */
export const onboarding = {
  'ONB-1': {
    ...done,
    level: 'mandatory',
    title: 'A payment succeeded',
    expected: 'A pay-in succeeded and its callback was delivered.',
    why: 'Whoever has not seen it work does not know whether it does.',
    mend: 'Take a payment from the first request to the delivered order.',
    docs: 'first-payment.md#a-collection',
  },
  'ONB-2': {
    ...done,
    level: 'mandatory',
    title: 'A payment failed',
    expected: 'A pay-in failed and its callback was delivered.',
    why: 'One payment in five fails. What the customer is shown then should have been seen once.',
    mend: 'Take a payment from 0700000002: its payer cancels.',
    docs: 'scenarios.md#magic-numbers',
  },
  'ONB-3': {
    ...done,
    feature: 'reversals',
    title: 'A payment was reversed',
    expected: 'A payment was reversed and the callback of it was delivered.',
    why: 'Reversals are rare and come late; nobody notices that they are not handled until money is missing.',
    mend: 'Take a payment from 0700000043: it is reversed ten minutes later.',
    docs: 'scenarios.md#magic-numbers',
  },
  'ONB-4': {
    ...done,
    feature: 'withdraw',
    title: 'A payout was made',
    expected: 'A payout was taken and became final.',
    why: 'The first payout with real money is a bad moment to learn how balances and refusals look.',
    mend: 'Make a withdrawal, and one to 0700000021, whose recipient does not exist.',
    docs: 'first-payment.md#a-payout',
  },
  'ONB-5': {
    ...done,
    feature: 'channels',
    title: 'The payment channels were listed',
    expected: 'listPaymentChannels was asked.',
    why: 'The id of a channel that is written into the configuration is another one in production.',
    mend: 'Ask GET /api/v2/payment_channels and choose by what it answers.',
    docs: 'glossary.md#rails-and-routes',
  },
  'ONB-6': {
    ...done,
    feature: 'kyc',
    title: 'A KYC submission was approved and one was rejected',
    expected: 'Both ends of a review were reached.',
    why: 'A rejection has reasons that somebody has to be shown, and a way to submit anew.',
    mend: 'Submit with the phone 0700000101, which is approved, and 0700000102, which is rejected.',
    docs: 'scenarios.md#magic-numbers',
  },
  'ONB-7': {
    ...done,
    feature: 'invitations',
    title: 'An invitation was accepted',
    expected: 'An invited person became a member.',
    why: 'Members that cannot get in are noticed on the day when somebody is on holiday.',
    mend: 'Invite a member and follow the link of the mail in GET /sandbox/outbox.',
    docs: 'glossary.md#who',
  },
  'ONB-8': {
    ...done,
    feature: 'global',
    title: 'Discovery was asked before global payments',
    expected: 'Countries, providers or networks were asked for before the first global payment.',
    why: 'What a country has changes. Lists that are copied into the code are wrong after a while.',
    mend: 'Ask the operations of discovery, and keep what they say for a day at most.',
    docs: 'glossary.md#rails-and-routes',
  },
  'ONB-9': {
    ...done,
    title: 'Each error of the service was met once',
    expected:
      'invalid_argument, unauthenticated, permission_denied and resource_not_found each were answered once.',
    why: 'What a program does at an error that it never met is chance.',
    mend: 'Send a wrong field, an account that is not yours and an id that is not there, have the scenario unauthenticated answer once, for a wrong password is on no world’s record, and look what the shop does.',
    docs: 'troubleshooting.md',
  },
} as const satisfies Record<string, CheckText>

/** Where credentials go, and what is told to whom. */
export const security = {
  'SEC-1': {
    ...recorded,
    level: 'mandatory',
    title: 'Sends credentials in Authorization alone',
    tried: 'Addresses, headers and bodies of the requests on record are searched.',
    expected: 'The key is in the header Authorization and nowhere else.',
    why: 'Addresses and bodies are written to logs by everything between the shop and the service.',
    mend: 'Use the header Authorization, and no user:password@ in the address.',
    docs: 'troubleshooting.md#401-unauthenticated',
  },
  'SEC-2': {
    ...recorded,
    level: 'mandatory',
    title: 'Has its receiver behind TLS that verifies',
    tried: 'The addresses of callbacks on record, and how connections to them went, are looked at.',
    expected: 'Each receiver outside this machine has https, and its certificate verifies.',
    why: 'Without TLS anybody between reads who paid what; with a certificate that does not verify no callback arrives in production.',
    mend: 'Give the receiver a certificate of a public authority, with the chain.',
    docs: 'callbacks.md#it-does-not-arrive',
  },
  'SEC-3': {
    ...recorded,
    level: 'mandatory',
    title: 'Sends no secret where none belongs',
    tried: 'Bodies and headers of the requests on record are searched for what looks like a secret.',
    expected: 'There is no signing secret, password or token in them, but for Authorization.',
    why: 'What is sent along is kept by others: in records, logs and support tickets.',
    mend: 'Send the fields that the operation has, one by one; not a whole object of your own.',
    docs: 'signatures.md',
  },
  'SEC-4': {
    ...recorded,
    title: 'Names itself',
    tried: 'The User-Agent of the requests on record is read.',
    expected: 'It names the shop or its version, not only the library that sends.',
    why: 'When something goes wrong the service finds the requests of a program by its name, and knows whom to call.',
    mend: 'Set User-Agent to the name and the version of the shop, such as kiosk/2.1.',
    docs: 'troubleshooting.md',
  },
  'SEC-5': {
    ...recorded,
    how: 'made',
    title: 'Shows nothing at its callback address',
    tried: 'The address of callbacks is asked by GET.',
    expected: 'It answers from 400 to 499, with few bytes.',
    why: 'Addresses are guessed. A page there tells whoever finds it what it is.',
    mend: 'Route POST alone; answer 405 or 404 to GET.',
    docs: 'callbacks.md',
  },
} as const satisfies Record<string, CheckText>

/** Whether the shop’s books and the service’s agree. */
export const reconciliation = {
  'REC-1': {
    ...recorded,
    how: 'made',
    probe: true,
    feature: 'reconciliation',
    title: 'A day’s statement equals the shop’s list',
    tried: 'The shop compares its orders with the statement of the day, which is right.',
    expected: 'It finds no difference.',
    why: 'Differences that are not there are looked into once, and never again.',
    mend: 'Match lines by your own reference; count the cost as the statement does, and days in the Team’s time.',
    docs: 'control-api.md',
  },
  'REC-2': {
    ...recorded,
    how: 'made',
    probe: true,
    feature: 'reconciliation',
    title: 'A wrong statement is noticed',
    tried:
      'The shop compares with statements that are wrong on purpose: a line is missing, has another amount, is there twice.',
    expected: 'It finds a difference in each.',
    why: 'What nobody notices on the day is written off in a year.',
    mend: 'Match both ways, with amounts, and each line once.',
    docs: 'control-api.md',
  },
} as const satisfies Record<string, CheckText>
