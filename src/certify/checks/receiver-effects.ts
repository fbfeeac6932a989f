import type { CheckText } from './check.ts'

const DOCS = 'callback-delivery.md#wrong-on-purpose'
const counted = { level: 'mandatory', how: 'made', probe: true } as const

/** What callbacks do to orders: counted by what the shop believes afterwards. */
export const receiverEffects = {
  'RCV-10': {
    ...counted,
    title: 'Counts the same callback once when it comes twice',
    tried: 'The callback of a payment is sent twice, one after the other, with the same id.',
    expected: 'Both are answered from 200 to 299, and the order is delivered once.',
    why: 'Every sender of callbacks sends some of them twice. What is delivered twice is given away.',
    mend: 'Keep the id of the callback (webhook-id) under a unique key, in the transaction that books its effect; answer 200 to one that is there already.',
    docs: DOCS,
  },
  'RCV-11': {
    ...counted,
    title: 'Counts ten copies at one moment once',
    tried: 'Ten copies of the callback of a payment leave at one moment.',
    expected: 'The order is delivered once, and no copy is answered with 500 or above.',
    why: 'To look whether it was booked, and then to book it, lets two requests through that look at the same time.',
    mend: 'Let the database decide: a unique key of the callback’s id, or an update with the state in its condition. Looking first is not enough.',
    docs: DOCS,
  },
  'RCV-12': {
    ...counted,
    level: 'recommended',
    title: 'Knows a copy a day later, and after a restart',
    tried:
      'The callback of a payment is sent twice, again after 24 hours of the sandbox’s clock, and once more after the shop was restarted (where the profile says how).',
    expected: 'Each is answered from 200 to 299, and the order is delivered once.',
    why: 'Retries go on for days. What is remembered in memory, or for an hour, is booked again after a deployment.',
    mend: 'Keep what was booked with the orders, in the database and without an end.',
    docs: DOCS,
  },
  'RCV-13': {
    ...counted,
    feature: 'reversals',
    title: 'Ends at the later state when callbacks overtake one another',
    tried: 'A payment succeeds and is reversed; the reversal is told before the success.',
    expected: 'The order is not paid in the end: the value is taken back, or the order is flagged.',
    why: 'Networks keep no order. Whoever believes what came last gives away what was taken back.',
    mend: 'Never let success overwrite a reversal. When a callback does not fit the order’s state, look the transaction up and believe that.',
    docs: 'callback-delivery.md#who-waits-for-whom',
  },
  'RCV-14': {
    ...counted,
    title: 'Takes a callback that comes before the answer',
    tried: 'The callback of a payment is sent before the request that made the payment is answered.',
    expected: 'The order is paid and delivered once.',
    why: 'Fast rails do that. An order that is saved only after the answer does not exist yet, and its callback is lost.',
    mend: 'Save the order with your own reference before you ask for the payment, and find it by that reference. A server that does one thing at a time cannot take it while it waits for its own answer.',
    docs: DOCS,
  },
  'RCV-15': {
    ...counted,
    title: 'Takes a success that comes after a failure',
    tried: 'A payment fails, its callback is sent, and ten minutes later it succeeds after all.',
    expected: 'The order is paid and delivered once, or flagged for somebody to look at.',
    why: 'The money has arrived. A shop that takes failed for final keeps it and delivers nothing.',
    mend: 'Let a success follow a failure: deliver, or flag the order when it can no longer be delivered.',
    docs: 'scenarios.md#magic-numbers',
  },
  'RCV-16': {
    ...counted,
    feature: 'reversals',
    title: 'Takes the value back when a payment is reversed',
    tried: 'A payment succeeds, its callback is sent, and ten minutes later it is reversed.',
    expected: 'The order is not paid any more: its value is taken back, or it is flagged.',
    why: 'The money is gone again. Whoever ignores the second callback has given the goods away.',
    mend: 'Handle status reversed: withdraw what can be withdrawn, and flag the order where it cannot.',
    docs: 'glossary.md#moving-money',
  },
  'RCV-17': {
    ...counted,
    title: 'Gives nothing for too little, another currency or another account',
    tried:
      'Orders each get a callback that is rightly signed: with an amount of 1; in another currency; and, of shops with look-ups, of a payment that is not the one that they made.',
    expected: 'None of the orders is paid or delivered.',
    why: 'Who pays one shilling gets what costs a thousand; money for another Team with an order of the same number pays for yours. A signature says who sent it, not that it fits the order.',
    mend: 'Compare amount and currency with the order, and reference with the one that your request was answered with (or look it up), before anything is delivered; flag what differs.',
    docs: 'callbacks.md',
  },
  'RCV-18': {
    ...counted,
    level: 'recommended',
    title: 'Delivers what was overpaid, or flags it',
    tried: 'A callback, rightly signed, tells of an amount above the order’s.',
    expected: 'The order is delivered once, or flagged for somebody to look at.',
    why: 'The customer has paid, and more than asked; nothing happens, and nobody notices until the customer calls.',
    mend: 'Treat more than was asked as paid, and keep the difference to be paid back; or flag the order.',
    docs: 'callbacks.md',
  },
  'RCV-19': {
    ...counted,
    title: 'Survives a callback for an order that it does not know',
    tried: 'A callback, rightly signed, names a reference that the shop never made.',
    expected: 'It is answered below 500, and no order changes.',
    why: 'Other systems share the account. What throws is sent again for days, and may hide those that matter.',
    mend: 'Answer 200 (or 404) to what is not yours, and log it. Never make an order of it.',
    docs: 'callbacks.md',
  },
} as const satisfies Record<string, CheckText>
