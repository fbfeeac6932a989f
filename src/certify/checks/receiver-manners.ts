import type { CheckText } from './check.ts'

const made = { level: 'recommended', how: 'made', probe: false } as const
const recorded = { level: 'mandatory', how: 'record', probe: false } as const

/** How a receiver answers, and what it bears. */
export const receiverManners = {
  'RCV-20': {
    ...recorded,
    title: 'Answers in a way that can be believed',
    tried: 'Every answer of the receiver on record is looked at.',
    expected: 'No redirect, no answer above 4 KiB, and never 2xx to what should have been refused.',
    why: 'Redirects are not followed, so that the callback counts as failed; large answers are pages of errors or logins; 2xx to a forgery says that it was taken.',
    mend: 'Answer at the address itself, with a status and few bytes. Mind slashes at the end, http to https and logins in front.',
    docs: 'callbacks.md#what-is-sent-and-when',
  },
  'RCV-21': {
    ...recorded,
    title: 'Answers in time',
    tried: 'The time of every answer of the receiver on record is looked at.',
    expected: 'Each came within the profile’s receiver.within, 5 seconds when it says nothing.',
    why: 'What is answered late is counted as failed and sent again, on top of the work that made it late.',
    mend: 'Save the callback, answer, and do the work afterwards.',
    docs: 'callbacks.md#what-is-sent-and-when',
  },
  'RCV-22': {
    ...made,
    title: 'Answers fifty at once in time',
    tried: 'Fifty callbacks leave at one moment.',
    expected: 'Each is answered within the profile’s time, and none with 500 or above.',
    why: 'After an outage everything that was owed comes at once. Receivers that bear one at a time fail then, and are sent more.',
    mend: 'Answer before the work, with a queue between; give the pool of database connections a limit that fits.',
    docs: 'callback-delivery.md#who-waits-for-whom',
  },
  'RCV-23': {
    ...made,
    probe: true,
    title: 'Takes the retry when its answer was lost',
    tried: 'The connection is cut once the callback was sent; it is sent again, with the same id.',
    expected: 'The second is answered from 200 to 299, and the order is delivered once.',
    why: 'The receiver has booked it and nobody knows. The retry must neither be booked again nor refused.',
    mend: 'Answer a callback that was booked already with 200.',
    docs: 'callback-delivery.md#wrong-on-purpose',
  },
  'RCV-24': {
    ...made,
    title: 'Takes JSON that is written otherwise',
    tried:
      'Callbacks with more fields than described, and with fields in another order, escapes and amounts as 1e2.',
    expected: 'Each is answered from 200 to 299.',
    why: 'A field more is no new version. Receivers that compare texts or refuse what they do not know stop on the day it comes.',
    mend: 'Read the JSON with a parser, take the fields you need and ignore the others.',
    docs: 'callback-delivery.md#wrong-on-purpose',
  },
  'RCV-25': {
    ...made,
    title: 'Refuses other methods and content types',
    tried: 'The callback is sent by PUT and by DELETE, and as text/plain; then as it should be.',
    expected: 'The first are answered from 400 to 499, the last is taken.',
    why: 'What takes any method can be reached by links and forms of other pages.',
    mend: 'Route POST alone, answer 405 to others, and 415 to what is not application/json.',
    docs: 'callbacks.md#what-is-sent-and-when',
  },
  'RCV-26': {
    ...made,
    title: 'Bears a body of a megabyte',
    tried: 'A callback, rightly signed, is a megabyte long.',
    expected: 'It is answered with 413, or from 200 to 299.',
    why: 'A receiver that hangs or falls over at a large body can be stopped by anybody.',
    mend: 'Give the reader of bodies a limit, and answer 413 above it.',
    docs: 'callback-delivery.md#wrong-on-purpose',
  },
  'RCV-27': {
    ...made,
    title: 'Tells nothing of itself in errors',
    tried: 'What it answers to broken JSON, to a malformed signature and to no body is read.',
    expected: 'Each is answered, without a trace of a stack, a path of a file or a secret.',
    why: 'Traces tell strangers what the shop is made of and where it is weak; some hold the secret itself.',
    mend: 'Turn the error pages of development off, and answer a status with a short text; 400 to what cannot be read.',
    docs: 'callbacks.md#verify',
  },
  'RCV-28': {
    ...made,
    probe: true,
    title: 'Stores before it answers',
    tried: 'The shop is restarted right after it answered a callback from 200 to 299.',
    expected: 'The order is paid and delivered once afterwards.',
    why: 'After 2xx nobody sends it again. What was only in memory is lost with every deployment.',
    mend: 'Commit the callback, or a row of a queue, to the database before answering.',
    docs: 'callbacks.md#what-is-sent-and-when',
  },
} as const satisfies Record<string, CheckText>
