/** Steps and judgements that several checks share. */
import type { SentCallback, CallbackVariant } from '../callbacks.ts'
import type { PaidOrder } from '../orders.ts'
import { type Standing, standingText } from '../probe.ts'
import type { CheckRun } from '../check-run.ts'
import { fail, type Finding, pass, unsure } from './check.ts'

export const isTaken = ({ status }: { readonly status: number | null }) =>
  status !== null && status >= 200 && status < 300

/** Returns text such as `responded with 401`, or the reason for a missing response. */
export const answerText = ({ status, exchange }: Pick<SentCallback, 'status' | 'exchange'>): string =>
  status === null ? `sent no response (${exchange.error})` : `responded with ${status}`

/** Paid, and delivered once if the probe counts deliveries. */
export const isPaidOnce = ({ state, fulfilled = 1 }: Standing) => state === 'paid' && fulfilled === 1
/** Neither paid nor delivered. */
export const isUnpaid = ({ state, fulfilled = 0 }: Standing) => state !== 'paid' && fulfilled === 0
export const isPaidOrFlagged = (standing: Standing) => isPaidOnce(standing) || standing.state === 'flagged'

/** Takes a payment that stays pending in status queries, too, so that the shop learns the result only from callbacks. */
export async function pendingPayment(run: CheckRun): Promise<PaidOrder> {
  await run.useScenario('A payment stays pending; no callback is sent automatically.', {
    settle: { never: true },
    callback: { drop: true },
  })
  return run.orders.pay()
}

/** Takes a payment that succeeds without a callback. */
export async function succeededPayment(run: CheckRun): Promise<PaidOrder> {
  const paid = await pendingPayment(run)
  await run.endPayment(paid)
  return paid
}

/** The fields of a callback of success. */
export const SUCCESS = {
  success: true,
  status: 'success',
  message: 'The service request is processed successfully.',
  provider_reference: 'UKM0000000',
}

export async function once(run: CheckRun, paid: PaidOrder, sent: readonly SentCallback[]): Promise<Finding> {
  const exchanges = sent.flatMap((each) => each.exchanges)
  const standing = await run.standing(paid, isPaidOnce)
  const seen = `The order is ${standingText(standing)}.`
  if ((standing.fulfilled ?? 1) > 1) return fail(seen, ...exchanges)
  if (!isPaidOnce(standing)) return unsure(`${seen} The first callback should have paid it.`, ...exchanges)
  const refused = sent.find((each) => !isTaken(each))
  if (refused && !isTaken(await run.callbacks.send(await succeededPayment(run), 'twin')))
    return unsure(`${seen} But the receiver accepts no callback at all.`, ...exchanges)
  if (refused)
    return fail(
      `${seen} But the receiver ${answerText(refused)} to one of the copies, which would be resent.`,
      ...exchanges,
    )
  return pass(seen, ...exchanges)
}

/** Sends unusual but valid callbacks. A usual one, sent last, shows whether the receiver accepts any. */
export async function allTaken(
  run: CheckRun,
  paid: PaidOrder,
  forms: Record<string, CallbackVariant>,
): Promise<Finding> {
  const refused: string[] = []
  const exchanges = []
  for (const [label, wanted] of Object.entries(forms)) {
    run.evidence.step(`The callback is sent ${label}.`)
    const sent = await run.callbacks.send(paid, label, wanted)
    exchanges.push(sent.exchange)
    if (!isTaken(sent)) refused.push(`${answerText(sent)} to the callback ${label}`)
  }
  const twin = await run.callbacks.send(paid, 'twin', {})
  if (!isTaken(twin))
    return unsure(`The receiver ${answerText(twin)} even to a valid callback.`, twin.exchange)
  if (refused.length > 0) return fail(`The receiver ${refused.join('; ')}.`, ...exchanges)
  return pass(`The receiver accepted the callback ${Object.keys(forms).join(' and ')}.`, ...exchanges)
}
