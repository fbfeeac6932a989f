import { standingText } from '../probe.ts'
import type { SentCallback, Wanted } from '../callbacks.ts'
import type { PaidOrder } from '../orders.ts'
import type { Stage } from '../stage.ts'
import { answerText, fail, type Finding, isTaken, type ActiveCheck, pass, unsure } from './try.ts'

/** A payment that waits: what look-ups tell is the truth, so that a shop which asks learns nothing that callbacks are to tell. */
export async function held(stage: Stage): Promise<PaidOrder> {
  await stage.meet('A payment waits; no callback is sent by itself.', {
    settle: { never: true },
    callback: { drop: true },
  })
  return stage.orders.pay()
}

/** A payment that has just succeeded, and of which nothing was told yet. */
export async function untold(stage: Stage): Promise<PaidOrder> {
  const paid = await held(stage)
  await stage.end(paid)
  return paid
}

/** What a callback says of a payment that succeeded. */
export const SUCCESS = {
  success: true,
  status: 'success',
  message: 'The service request is processed successfully.',
  provider_reference: 'UKM0000000',
}

const good: ActiveCheck = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    stage.notes.did('The callback is sent, rightly signed.')
    const sent = await stage.callbacks.send(paid, 'good')
    if (isTaken(sent)) return pass(`The receiver ${answerText(sent)}.`, sent.exchange)
    const seen = `The receiver ${answerText(sent)}.`
    if (stage.profile.trigger) return fail(seen, sent.exchange)
    return unsure(
      `${seen} It may not know the order: without a trigger it is none of the shop’s.`,
      sent.exchange,
    )
  },
}

interface Wrong {
  readonly what: string
  readonly wanted: Wanted
  /** The refusal must be a plain one. */
  readonly plainly?: true
}

/** One that is wrong in one way, then the same without it, which must be taken. */
const refusing = ({ what, wanted, plainly }: Wrong): ActiveCheck => ({
  time: 'frozen',
  async make(stage) {
    const paid = await held(stage)
    stage.notes.did(`A callback of success is sent ${what}.`)
    const wrong = await stage.callbacks.send(paid, what, { ...wanted, set: SUCCESS })
    const believed = stage.look && stage.profile.trigger ? await stage.believes(paid) : undefined
    stage.notes.did('The payment succeeds; the same callback is sent as it should be.')
    await stage.end(paid)
    const twin = await stage.callbacks.send(paid, 'twin', {})
    return verdictOf(what, wrong, twin, plainly === true, believed && standingText(believed), believed?.state)
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

const otherForms: ActiveCheck = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    const forms: Record<string, Wanted> = {
      'with upper-case header names': { fault: 'upper-case-headers' },
      'with a foreign signature before the right one': { fault: 'second-signature' },
    }
    return allTaken(stage, paid, forms)
  },
}

/** Each is unusual and right; a good one, sent last, shows whether any is taken. */
export async function allTaken(
  stage: Stage,
  paid: PaidOrder,
  forms: Record<string, Wanted>,
): Promise<Finding> {
  const refused: string[] = []
  const exchanges = []
  for (const [label, wanted] of Object.entries(forms)) {
    stage.notes.did(`The callback is sent ${label}.`)
    const sent = await stage.callbacks.send(paid, label, wanted)
    exchanges.push(sent.exchange)
    if (!isTaken(sent)) refused.push(`${label} the receiver ${answerText(sent)}`)
  }
  const twin = await stage.callbacks.send(paid, 'twin', {})
  if (!isTaken(twin))
    return unsure(`Even to a good callback the receiver ${answerText(twin)}.`, twin.exchange)
  if (refused.length > 0) return fail(`To the callback ${refused.join('; ')}.`, ...exchanges)
  return pass(`The receiver took it ${Object.keys(forms).join(' and ')}.`, ...exchanges)
}

const OTHER = 'whsec_Y2VydGlmeS1yb3RhdGVzLXRoZS1zZWNyZXQtb25jZSE='
/** Which the shop never knew: to rotate to the same secret again ends no overlap. */
const THIRD = 'whsec_Y2VydGlmeS1yb3RhdGVzLWl0LWEtc2Vjb25kLXRpbWUh'

const rotation: ActiveCheck = {
  time: 'alone',
  async make(stage) {
    const { rotate } = stage.profile
    const paid = await untold(stage)
    stage.notes.did('The secret is rotated with an overlap: callbacks have two signatures.')
    await stage.world.signatures.rotate({ secret: OTHER, overlap: '24h' })
    const seen: SentCallback[] = [await stage.callbacks.send(paid, 'both signatures')]
    try {
      if (rotate) {
        stage.notes.did('The shop is given the new secret beside the old one.')
        await giveSecret(stage, OTHER, stage.secret)
        seen.push(await stage.callbacks.send(paid, 'both signatures, the shop knows the new secret'))
        stage.notes.did('The overlap is over, and the shop is told so.')
        await giveSecret(stage, OTHER, '')
        await stage.world.signatures.rotate({ secret: stage.secret, overlap: '0' })
      } else {
        await stage.world.signatures.rotate({ secret: THIRD, overlap: '0' })
      }
      stage.notes.did('A callback is signed with the other secret alone.')
      const late = await stage.callbacks.send(paid, 'the other secret alone')
      await stage.world.signatures.rotate({ secret: rotate ? OTHER : stage.secret, overlap: '0' })
      const twin = await stage.callbacks.send(paid, 'twin')
      return judged(seen, late, twin, () => takesSecond(stage, paid))
    } finally {
      if (rotate) await giveSecret(stage, stage.secret, '')
      await stage.world.signatures.rotate({ secret: stage.secret, overlap: '0' })
    }
  },
}

async function giveSecret(stage: Stage, secret: string, old: string): Promise<void> {
  const { rotate } = stage.profile
  const what = typeof rotate === 'function' ? () => rotate(secret, old) : rotate!
  await stage.act(what, 'rotate', { secret, old })
}

/** Whether it takes a callback whose second signature is the right one, when nothing is rotated. */
const takesSecond = async (stage: Stage, paid: PaidOrder) =>
  isTaken(await stage.callbacks.send(paid, 'a foreign signature first', { fault: 'second-signature' }))

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

export const receiverSignatures = {
  'RCV-1': good,
  'RCV-2': refusing({ what: 'without a signature', wanted: { fault: 'unsigned' } }),
  'RCV-3': refusing({ what: 'signed with another secret', wanted: { fault: 'wrong-secret' } }),
  'RCV-4': refusing({ what: 'with its body changed after it was signed', wanted: { fault: 'tampered' } }),
  'RCV-5': refusing({ what: 'signed 301 seconds ago', wanted: { fault: 'stale' } }),
  'RCV-6': refusing({ what: 'signed ten minutes ahead', wanted: { fault: 'future' } }),
  'RCV-7': refusing({
    what: 'with half a signature',
    wanted: { fault: 'malformed-signature' },
    plainly: true,
  }),
  'RCV-8': otherForms,
  'RCV-9': rotation,
} as const
