import type { CheckText } from './check.ts'

const DOCS = 'callbacks.md#verify'
const made = { level: 'mandatory', how: 'made', probe: false } as const

/** Whom a receiver believes. */
export const receiverSignatures = {
  'RCV-1': {
    ...made,
    title: 'Takes a good callback',
    tried: 'A payment succeeds and its callback is sent, rightly signed.',
    expected: 'The receiver answers from 200 to 299.',
    why: 'Whatever else is refused proves nothing where the good one is refused too; and payments that were made are never booked.',
    mend: 'Answer 200 or 204 to a callback whose signature holds. Check the raw bytes of the body, before any JSON parser touches them.',
    docs: DOCS,
  },
  'RCV-2': {
    ...made,
    title: 'Refuses a callback without a signature',
    tried: 'The same callback without its signature headers, then with them.',
    expected: 'The one without is refused and changes nothing; the one with them is taken.',
    why: 'Whoever knows the address can tell the shop that an order was paid, and gets the goods for nothing.',
    mend: 'Refuse with 401 when the signature header is missing. A missing header must not skip the check.',
    docs: DOCS,
  },
  'RCV-3': {
    ...made,
    title: 'Refuses a signature made with another secret',
    tried: 'The same callback signed with a secret that is not the shop’s, then with the right one.',
    expected: 'The first is refused and changes nothing; the second is taken.',
    why: 'A receiver that only looks whether there is a signature takes everybody’s.',
    mend: 'Compute the HMAC of the raw body with your secret and compare it with the header, in constant time.',
    docs: DOCS,
  },
  'RCV-4': {
    ...made,
    title: 'Refuses a callback that was changed on its way',
    tried: 'The same callback with its body changed after it was signed, then as it was signed.',
    expected: 'The first is refused and changes nothing; the second is taken.',
    why: 'One digit of the amount more, and the shop believes that more was paid.',
    mend: 'Sign the raw bytes of the body, all of them: not a part, and not JSON that was parsed and written again.',
    docs: DOCS,
  },
  'RCV-5': {
    ...made,
    title: 'Refuses a callback that is five minutes old',
    tried: 'The same callback, rightly signed 301 seconds ago, then signed now.',
    expected: 'The first is refused and changes nothing; the second is taken.',
    why: 'A callback that somebody recorded can be sent again, for years.',
    mend: 'Compare the signed timestamp with your clock, and refuse what is more than 300 seconds old. It must be the signed timestamp.',
    docs: 'signatures.md#what-verifiers-say',
  },
  'RCV-6': {
    ...made,
    level: 'recommended',
    title: 'Refuses a callback from the future',
    tried: 'The same callback, rightly signed ten minutes ahead of the clock, then signed now.',
    expected: 'The first is refused and changes nothing; the second is taken.',
    why: 'A signature that is dated ahead can be kept and used when it suits; it also hides that a clock is wrong.',
    mend: 'Take the distance of the signed timestamp from your clock without its sign, and refuse above 300 seconds.',
    docs: 'signatures.md#what-verifiers-say',
  },
  'RCV-7': {
    ...made,
    title: 'Refuses a malformed signature without falling over',
    tried: 'The same callback with half a signature in the header, then with a whole one.',
    expected: 'The first is answered with a status from 400 to 499, not 500 or above; the second is taken.',
    why: 'Whoever can make the receiver throw can fill its log, and find out what it is made of. 500 also has it sent again and again.',
    mend: 'Read the header with care: lengths before comparing (timingSafeEqual throws on unequal ones), base64 that is none, missing parts.',
    docs: DOCS,
  },
  'RCV-8': {
    ...made,
    title: 'Takes header names in another case, and the second of two signatures',
    tried:
      'A callback whose header names are in upper case; another that has a foreign signature before the right one.',
    expected: 'Both are answered from 200 to 299.',
    why: 'Proxies change the case of names, HTTP/2 has lower case alone; while a secret is rotated there are two signatures. A receiver that takes neither stops working on that day.',
    mend: 'Look headers up without regard to case. Split the signature header at spaces and take the callback when any of them holds.',
    docs: 'signatures.md',
  },
  'RCV-9': {
    ...made,
    title: 'Goes on working while the secret is rotated',
    tried:
      'The secret is rotated with an overlap; callbacks carry both signatures. After the overlap one comes that is signed by the other secret alone.',
    expected: 'Callbacks are taken during the overlap; the one signed by the other secret alone is refused.',
    why: 'Without it, to rotate a secret is to lose callbacks, so that it is never rotated, not even once it is known to others.',
    mend: 'Take the callback when any of its signatures holds with any secret of yours that is good, and no other.',
    docs: 'signatures.md',
  },
} as const satisfies Record<string, CheckText>
