import type { SentCallback, CallbackVariant } from '../callbacks.ts'
import { standingText } from '../probe.ts'
import type { PaidOrder } from '../orders.ts'
import type { CheckRun } from '../check-run.ts'
import { type ActiveCheck, type Checks, fail, type Finding, pass, unsure } from './check.ts'
import { allTaken, answerText, pendingPayment, isTaken, SUCCESS, succeededPayment } from './steps.ts'

const DOCS = 'go-live.md#verify'
const made = { level: 'mandatory', how: 'made', probe: false } as const

/** Sends a callback with one fault, then the same one without it, which the receiver must accept. */
const refusing = (
  what: string,
  fault: NonNullable<CallbackVariant['fault']>,
  plainly = false,
): ActiveCheck => ({
  time: 'frozen',
  async make(run) {
    const paid = await pendingPayment(run)
    run.evidence.step(`A callback of success is sent ${what}.`)
    const wrong = await run.callbacks.send(paid, what, { fault, set: SUCCESS })
    const believed = run.look && run.profile.trigger ? await run.standing(paid) : undefined
    run.evidence.step('The payment succeeds; the same callback is sent as it should be.')
    await run.endPayment(paid)
    const twin = await run.callbacks.send(paid, 'twin', {})
    return verdictOf(what, wrong, twin, plainly, believed && standingText(believed), believed?.state)
  },
})

function verdictOf(
  what: string,
  wrong: SentCallback,
  twin: SentCallback,
  plainly: boolean,
  believed: string | undefined,
  state: string | undefined,
): Finding {
  const both = [wrong.exchange, twin.exchange]
  const seen = `To the callback ${what} the receiver ${answerText(wrong)}`
  if (isTaken(wrong)) return fail(`${seen}: it was taken.`, ...both)
  if (state === 'paid') return fail(`${seen}, and yet the order is ${believed}.`, ...both)
  if (wrong.status === null && !(plainly && isTaken(twin)))
    return unsure(`${seen}, which is no refusal.`, ...both)
  if (!isTaken(twin))
    return unsure(
      `${seen}, but to the same without the fault it ${answerText(twin)}, too: the refusal proves nothing.`,
      ...both,
    )
  if (plainly && (wrong.status === null || wrong.status >= 500))
    return fail(`${seen}: it fell over.`, ...both)
  return pass(`${seen}; to the same without the fault it ${answerText(twin)}.`, ...both)
}

export const receiverSignatures = {
  'RCV-1': {
    ...made,
    title: 'Takes a good callback',
    tried: 'A payment succeeds and its callback is sent, rightly signed.',
    expected: 'The receiver answers from 200 to 299.',
    why: 'Whatever else is refused proves nothing where the good one is refused too; and payments that were made are never booked.',
    mend: 'Answer 200 or 204 to a callback whose signature holds. Check the raw bytes of the body, before any JSON parser touches them.',
    docs: DOCS,
    fault: 'Payments that were made are not booked: good callbacks are refused.',
    time: 'frozen',
    async make(run) {
      const paid = await succeededPayment(run)
      run.evidence.step('The callback is sent, rightly signed.')
      const sent = await run.callbacks.send(paid, 'good')
      if (isTaken(sent)) return pass(`The receiver ${answerText(sent)}.`, sent.exchange)
      const seen = `The receiver ${answerText(sent)}.`
      if (run.profile.trigger) return fail(seen, sent.exchange)
      return unsure(
        `${seen} It may not know the order: without a trigger it is none of the shop’s.`,
        sent.exchange,
      )
    },
  },
  'RCV-2': {
    ...made,
    title: 'Refuses a callback without a signature',
    tried: 'The same callback without its signature headers, then with them.',
    expected: 'The one without is refused and changes nothing; the one with them is taken.',
    why: 'Whoever knows the address can tell the shop that an order was paid, and gets the goods for nothing.',
    mend: 'Refuse with 401 when the signature header is missing. A missing header must not skip the check.',
    docs: DOCS,
    fault: 'Anybody can have an order marked as paid: no signature is needed.',
    ...refusing('without a signature', 'unsigned'),
  },
  'RCV-3': {
    ...made,
    title: 'Refuses a signature made with another secret',
    tried: 'The same callback signed with a secret that is not the shop’s, then with the right one.',
    expected: 'The first is refused and changes nothing; the second is taken.',
    why: 'A receiver that only looks whether there is a signature takes everybody’s.',
    mend: 'Compute the HMAC of the raw body with your secret and compare it with the header, in constant time.',
    docs: DOCS,
    fault: 'Anybody can have an order marked as paid: a forged signature will do.',
    ...refusing('signed with another secret', 'wrong-secret'),
  },
  'RCV-4': {
    ...made,
    title: 'Refuses a callback that was changed on its way',
    tried: 'The same callback with its body changed after it was signed, then as it was signed.',
    expected: 'The first is refused and changes nothing; the second is taken.',
    why: 'One digit of the amount more, and the shop believes that more was paid.',
    mend: 'Sign the raw bytes of the body, all of them: not a part, and not JSON that was parsed and written again.',
    docs: DOCS,
    fault: 'A callback can be changed on its way, such as the amount that was paid.',
    ...refusing('with its body changed after it was signed', 'tampered'),
  },
  'RCV-5': {
    ...made,
    title: 'Refuses a callback that is five minutes old',
    tried: 'The same callback, rightly signed 301 seconds ago, then signed now.',
    expected: 'The first is refused and changes nothing; the second is taken.',
    why: 'A callback that somebody recorded can be sent again, for years.',
    mend: 'Compare the signed timestamp with your clock, and refuse what is more than 300 seconds old. It must be the signed timestamp.',
    docs: 'signatures.md#what-verifiers-say',
    fault: 'Old callbacks are taken for new ones.',
    ...refusing('signed 301 seconds ago', 'stale'),
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
    ...refusing('signed ten minutes ahead', 'future'),
  },
  'RCV-7': {
    ...made,
    title: 'Refuses a malformed signature without falling over',
    tried: 'The same callback with half a signature in the header, then with a whole one.',
    expected: 'The first is answered with a status from 400 to 499, not 500 or above; the second is taken.',
    why: 'Whoever can make the receiver throw can fill its log, and find out what it is made of. 500 also has it sent again and again.',
    mend: 'Read the header with care: lengths before comparing (timingSafeEqual throws on unequal ones), base64 that is none, missing parts.',
    docs: DOCS,
    fault: 'A malformed signature is taken, or makes the receiver fall over.',
    ...refusing('with half a signature', 'malformed-signature', true),
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
    fault: 'Good callbacks are refused for the form of their headers.',
    time: 'frozen',
    async make(run) {
      const paid = await succeededPayment(run)
      const forms: Record<string, CallbackVariant> = {
        'with upper-case header names': { fault: 'upper-case-headers' },
        'with a foreign signature before the right one': { fault: 'second-signature' },
      }
      return allTaken(run, paid, forms)
    },
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
    fault: 'The signing secret cannot be changed safely.',
    time: 'alone',
    async make(run) {
      const { rotate } = run.profile
      const paid = await succeededPayment(run)
      run.evidence.step('The secret is rotated with an overlap: callbacks have two signatures.')
      await run.world.signatures.rotate({ secret: OTHER, overlap: '24h' })
      const seen: SentCallback[] = [await run.callbacks.send(paid, 'both signatures')]
      try {
        if (rotate) {
          run.evidence.step('The shop is given the new secret beside the old one.')
          await giveSecret(run, OTHER, run.secret)
          seen.push(await run.callbacks.send(paid, 'both signatures, the shop knows the new secret'))
          run.evidence.step('The overlap is over, and the shop is told so.')
          await giveSecret(run, OTHER, '')
          await run.world.signatures.rotate({ secret: run.secret, overlap: '0' })
        } else {
          await run.world.signatures.rotate({ secret: THIRD, overlap: '0' })
        }
        run.evidence.step('A callback is signed with the other secret alone.')
        const late = await run.callbacks.send(paid, 'the other secret alone')
        await run.world.signatures.rotate({ secret: rotate ? OTHER : run.secret, overlap: '0' })
        const twin = await run.callbacks.send(paid, 'twin')
        return judged(seen, late, twin, () => takesSecond(run, paid))
      } finally {
        if (rotate) await giveSecret(run, run.secret, '')
        await run.world.signatures.rotate({ secret: run.secret, overlap: '0' })
      }
    },
  },
} as const satisfies Checks

const OTHER = 'whsec_Y2VydGlmeS1yb3RhdGVzLXRoZS1zZWNyZXQtb25jZSE='
/** The shop never knows this secret. A rotation to the same secret would not end the overlap. */
const THIRD = 'whsec_Y2VydGlmeS1yb3RhdGVzLWl0LWEtc2Vjb25kLXRpbWUh'

async function giveSecret(run: CheckRun, secret: string, old: string): Promise<void> {
  const { rotate } = run.profile
  const what = typeof rotate === 'function' ? () => rotate(secret, old) : rotate!
  await run.perform(what, 'rotate', { secret, old })
}

/** Whether the receiver accepts a callback whose second signature is the valid one. */
const takesSecond = async (run: CheckRun, paid: PaidOrder) =>
  isTaken(await run.callbacks.send(paid, 'a foreign signature first', { fault: 'second-signature' }))

async function judged(
  overlap: readonly SentCallback[],
  late: SentCallback,
  twin: SentCallback,
  takesSecond: () => Promise<boolean>,
): Promise<Finding> {
  const refused = overlap.find((each) => !isTaken(each))
  const all = [...overlap, late, twin].map(({ exchange }) => exchange)
  if (!isTaken(twin)) return unsure(`To the last good callback the receiver ${answerText(twin)}.`, ...all)
  if (isTaken(late))
    return fail(
      `After the overlap the receiver ${answerText(late)} to one signed with the other secret alone.`,
      ...all,
    )
  if (refused) {
    const seen = `During the overlap the receiver ${answerText(refused)} to a callback with both signatures`
    return (await takesSecond())
      ? fail(`${seen}.`, ...all)
      : unsure(`${seen}, as it refuses any whose right signature is the second: RCV-8 is for that.`, ...all)
  }
  return pass(
    `It took ${overlap.length} with both signatures, and ${answerText(late)} to one with the other secret alone.`,
    ...all,
  )
}
