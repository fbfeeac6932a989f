import type { SentCallback, CallbackVariant } from '../callbacks.ts'
import { standingText } from '../probe.ts'
import type { PaidOrder } from '../orders.ts'
import type { CheckRun } from '../check-run.ts'
import {
  type CheckDefinition,
  fail,
  type Finding,
  isTaken,
  mended,
  pass,
  passIf,
  REDIRECTED,
  sharing,
  theOnly,
  unsure,
} from './check.ts'
import { allTaken, answerText, SUCCESS } from './steps.ts'

const UPPER_CASE = { 'If upper-case names are rejected': 'Look headers up case-insensitively.' }
const TWO_SIGNATURES = {
  'If two signatures are rejected':
    'Split the signature header at spaces, and accept the callback if any of the signatures is valid.',
}
const NO_ROUTE = {
  'If the response is 404 or 405':
    'Route POST at the callback address, and compare it with the callback_url of the payment.',
}
const CRASHES = {
  'If the response is 500 or above, or missing':
    'Read the log of the receiver: it fails on a valid callback.',
}

/** Sends a callback with one fault, then the same callback without it, which the receiver must accept. */
const rejects = (
  what: string,
  fault: NonNullable<CallbackVariant['fault']>,
  explicitly = false,
): Pick<CheckDefinition, 'expected' | 'make'> => ({
  expected: explicitly
    ? 'The first gets a response from 400 to 499; the second is accepted.'
    : 'The first is rejected and changes nothing; the second is accepted.',
  async make(run) {
    const paid = await run.pendingPayment()
    run.evidence.step(`A callback of success is sent ${what}.`)
    const wrong = await run.callbacks.send(paid, what, { fault, set: SUCCESS })
    const believed = run.look && run.profile.trigger && !run.isEager ? await run.standing(paid) : undefined
    run.evidence.step('The payment succeeds; the same callback is sent correctly.')
    await run.endPayment(paid)
    const twin = await run.callbacks.send(paid, 'twin', {})
    const both = [wrong.exchange, twin.exchange]
    const seen = `The receiver ${answerText(wrong)} to a callback ${what}`
    if (isTaken(wrong)) return fail(`${seen}: it accepted the callback.`, ...both)
    if (believed?.state === 'paid')
      return fail(`${seen}, but the order is ${standingText(believed)}.`, ...both)
    if (wrong.status === null && !(explicitly && isTaken(twin)))
      return unsure(`${seen}, which is not a rejection.`, ...both)
    if (!isTaken(twin))
      return unsure(
        `${seen}, but ${answerText(twin)} to the same callback without the fault, too: the rejection proves nothing.`,
        ...both,
      )
    if (explicitly && (wrong.status === null || wrong.status >= 500))
      return fail(`${seen}: it crashed.`, ...both)
    return pass(`${seen}, and ${answerText(twin)} to the same callback without the fault.`, ...both)
  },
})

export const receiverSignatures = sharing({ docs: 'go-live.md#verify' })({
  'RCV-1': {
    title: 'Accepts a valid callback',
    tried: 'A payment succeeds and its correctly signed callback is sent.',
    expected: 'The response is from 200 to 299.',
    impact:
      'If valid callbacks are rejected, other rejections prove nothing, and successful payments are never booked.',
    fix: 'Respond with 200 or 204 to a callback with a valid signature. Verify the raw bytes of the body, before any JSON parser changes them.',
    mend: { ...REDIRECTED, ...NO_ROUTE, ...CRASHES },
    async make(run) {
      const paid = await run.succeededPayment()
      run.evidence.step('The correctly signed callback is sent.')
      const sent = await run.callbacks.send(paid, 'good')
      const seen = `The receiver ${answerText(sent)}.`
      if (isTaken(sent) || run.profile.trigger)
        return mended(passIf(isTaken(sent), seen, sent.exchange), acceptanceFix(sent))
      return unsure(
        `${seen} It may not know the order: without a trigger, the order is not the shop’s.`,
        sent.exchange,
      )
    },
  },
  'RCV-2': {
    title: 'Rejects a callback without a signature',
    tried: 'The same callback is sent without its signature headers, then with them.',
    impact: 'Anyone who knows the address can report an order as paid and get the goods for nothing.',
    fix: 'Respond with 401 if the signature header is missing. A missing header must not skip the verification.',
    ...rejects('without a signature', 'unsigned'),
  },
  'RCV-3': {
    title: 'Rejects a signature made with another secret',
    tried: 'The same callback is signed with a foreign secret, then with the right one.',
    impact: 'A receiver that only checks for the presence of a signature accepts any signature.',
    fix: 'Compute the HMAC of the raw body with your secret and compare all of it with the header, in constant time. It is not enough that the header is there, or begins correctly.',
    ...rejects('signed with another secret', 'wrong-secret'),
  },
  'RCV-4': {
    title: 'Rejects a callback that was altered in transit',
    tried: 'The same callback is sent with its body changed after signing, then unchanged.',
    impact: 'With one more digit in the amount, the shop believes that more was paid.',
    fix: 'Verify all raw bytes of the body: not a part, and not JSON that was parsed and serialized again.',
    ...rejects('with its body changed after it was signed', 'tampered'),
  },
  'RCV-5': {
    title: 'Rejects a callback that is five minutes old',
    tried: 'The same callback is signed 301 seconds ago, then now.',
    impact: 'An attacker can replay a recorded callback for years.',
    fix: 'Compare the signed timestamp with your clock, and reject a callback if the difference exceeds 300 seconds, in either direction.',
    docs: 'signatures.md#verifiers',
    ...rejects('signed 301 seconds ago', 'stale'),
  },
  'RCV-6': {
    level: 'recommended',
    title: 'Rejects a callback from the future',
    tried: 'The same callback is signed ten minutes ahead of the clock, then now.',
    impact: 'A signature dated ahead can be kept and used later; it also hides a wrong clock.',
    fix: 'Compare the absolute difference between the signed timestamp and your clock, and reject more than 300 seconds.',
    docs: 'signatures.md#verifiers',
    ...rejects('signed ten minutes ahead', 'future'),
  },
  'RCV-7': {
    title: 'Rejects a malformed signature without crashing',
    tried: 'The same callback is sent with half a signature in the header, then with a whole one.',
    impact:
      'Anyone who can make the receiver throw can fill its log and learn how it is built. A 500 also causes retries.',
    fix: 'Compare the lengths before the contents, since functions such as timingSafeEqual throw if they differ. Reject invalid base64 and missing parts with 401.',
    ...rejects('with half a signature', 'malformed-signature', true),
  },
  'RCV-8': {
    title: 'Accepts header names in another case, and the second of two signatures',
    tried:
      'One callback has header names in upper case; another has a foreign signature before the right one.',
    expected: 'Both get a response from 200 to 299.',
    impact:
      'Proxies change the case of names, and HTTP/2 uses lower case only; during a rotation there are two signatures. A receiver that expects one form stops working.',
    fix: 'Look headers up case-insensitively. Split the signature header at spaces and accept the callback if any signature is valid.',
    docs: 'signatures.md',
    mend: { ...UPPER_CASE, ...TWO_SIGNATURES },
    make: (run) =>
      allTaken(
        run,
        {
          'with upper-case header names': { fault: 'upper-case-headers' },
          'with a foreign signature before the right one': { fault: 'second-signature' },
        },
        ({ label }) => theOnly(label.includes('upper') ? UPPER_CASE : TWO_SIGNATURES),
      ),
  },
  'RCV-9': {
    title: 'Keeps working while the secret is rotated',
    tried:
      'The secret is rotated with an overlap, during which callbacks carry both signatures. Afterwards a callback is signed by the other secret only.',
    expected:
      'Callbacks are accepted during the overlap; the one signed by the other secret only is rejected.',
    impact: 'Otherwise a rotation loses callbacks, so the secret is never rotated, even after a leak.',
    fix: 'Accept a callback if any of its signatures is valid for any of your current secrets, and no other.',
    docs: 'signatures.md',
    time: 'alone',
    async make(run) {
      const { rotate } = run.profile
      const paid = await run.succeededPayment()
      run.evidence.step('The secret is rotated with an overlap: callbacks have two signatures.')
      await run.world.signatures.rotate({ secret: OTHER, overlap: '24h' })
      const seen: SentCallback[] = [await run.callbacks.send(paid, 'both signatures')]
      try {
        if (rotate) {
          run.evidence.step('The shop receives the new secret in addition to the old one.')
          await giveSecret(run, OTHER, run.secret)
          seen.push(await run.callbacks.send(paid, 'both signatures, the shop knows the new secret'))
          run.evidence.step('The overlap ends, and the shop drops the old secret.')
          await giveSecret(run, OTHER, '')
          await run.world.signatures.rotate({ secret: run.secret, overlap: '0' })
        } else {
          await run.world.signatures.rotate({ secret: THIRD, overlap: '0' })
        }
        run.evidence.step('A callback is signed with the other secret only.')
        const late = await run.callbacks.send(paid, 'the other secret only')
        await run.world.signatures.rotate({ secret: rotate ? OTHER : run.secret, overlap: '0' })
        const twin = await run.callbacks.send(paid, 'twin')
        return await judged(run, paid, seen, late, twin)
      } finally {
        if (rotate) await giveSecret(run, run.secret, '')
        await run.world.signatures.rotate({ secret: run.secret, overlap: '0' })
      }
    },
  },
})

function acceptanceFix({ status, exchange }: SentCallback): string | false {
  if (status === null || status >= 500) return theOnly(CRASHES)
  if (status === 404 || status === 405) return theOnly(NO_ROUTE)
  if (status >= 400) return false
  const to = exchange.response?.headers.find(({ name }) => name.toLowerCase() === 'location')?.value
  return to === undefined
    ? `The response has no Location, so the handler itself sets the status ${status}: respond with 200 or 204 instead.`
    : `The receiver redirects to ${to}: look for a login page, a trailing slash or a redirect to https.`
}

const OTHER = 'whsec_Y2VydGlmeS1yb3RhdGVzLXRoZS1zZWNyZXQtb25jZSE='
/** The shop never knows this secret. A rotation to the same secret would not end the overlap. */
const THIRD = 'whsec_Y2VydGlmeS1yb3RhdGVzLWl0LWEtc2Vjb25kLXRpbWUh'

async function giveSecret(run: CheckRun, secret: string, old: string): Promise<void> {
  const { rotate } = run.profile
  const what = typeof rotate === 'function' ? () => rotate(secret, old) : rotate!
  await run.perform(what, 'rotate', { secret, old })
}

async function judged(
  run: CheckRun,
  paid: PaidOrder,
  overlap: readonly SentCallback[],
  late: SentCallback,
  twin: SentCallback,
): Promise<Finding> {
  const refused = overlap.find((each) => !isTaken(each))
  const all = [...overlap, late, twin].map(({ exchange }) => exchange)
  if (!isTaken(twin)) return unsure(`The receiver ${answerText(twin)} to the last valid callback.`, ...all)
  if (isTaken(late))
    return fail(
      `After the overlap, the receiver ${answerText(late)} to a callback signed with the other secret only.`,
      ...all,
    )
  if (refused) {
    const seen = `During the overlap, the receiver ${answerText(refused)} to a callback with both signatures`
    const second = await run.callbacks.send(paid, 'a foreign signature first', { fault: 'second-signature' })
    return isTaken(second)
      ? fail(`${seen}.`, ...all)
      : unsure(
          `${seen}, since it rejects all callbacks whose second signature is the valid one, which RCV-8 checks.`,
          ...all,
        )
  }
  return pass(
    `It accepted ${overlap.length} callbacks with both signatures, and ${answerText(late)} to a callback with the other secret only.`,
    ...all,
  )
}
