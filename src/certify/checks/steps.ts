/** Steps and judgements that several checks share. */
import type { SentCallback, CallbackVariant } from '../callbacks.ts'
import type { Order, PaidOrder } from '../orders.ts'
import { isPaidOnce, isUnpaid, type Standing, standingText } from '../probe.ts'
import type { CheckRun, Then } from '../check-run.ts'
import type { Reason } from '../../service/vocabulary/rails.ts'
import type { Exchange } from '../certification.ts'
import {
  fail,
  type Finding,
  DELIVERED_UNPAID,
  isTaken,
  mended,
  numbered,
  theOnly,
  casesText,
  pass,
  passIf,
  times,
  unsure,
  worstOf,
} from './check.ts'

/** Returns text such as `responded with 401`, or the reason for a missing response. */
export const answerText = ({ status, exchange }: Pick<SentCallback, 'status' | 'exchange'>): string =>
  status === null ? `sent no response (${exchange.error})` : `responded with ${status}`

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
  if (refused && !isTaken(await run.callbacks.send(await run.succeededPayment(), 'twin')))
    return unsure(`${seen} But the receiver accepts no callback at all.`, ...exchanges)
  if (refused)
    return fail(
      `${seen} But the receiver ${answerText(refused)} to one of the copies, which would be resent.`,
      ...exchanges,
    )
  return pass(seen, ...exchanges)
}

/** Sends variants of a callback. A usual one, sent last, shows whether the receiver accepts any. */
export async function sendVariants(run: CheckRun, forms: Readonly<Record<string, CallbackVariant>>) {
  const paid = await run.succeededPayment()
  const sent: (SentCallback & { readonly label: string })[] = []
  for (const [label, wanted] of Object.entries(forms)) {
    run.evidence.step(`The callback is sent ${label}.`)
    sent.push({ label, ...(await run.callbacks.send(paid, label, wanted)) })
  }
  const twin = await run.callbacks.send(paid, 'twin')
  const exchanges = [...sent, twin].map(({ exchange }) => exchange)
  const unaccepted =
    !isTaken(twin) && unsure(`The receiver ${answerText(twin)} even to a valid callback.`, ...exchanges)
  return { sent, exchanges, unaccepted }
}

/** Sends unusual but valid callbacks, which the receiver must accept. */
export async function allTaken(
  run: CheckRun,
  forms: Readonly<Record<string, CallbackVariant>>,
  fixOf: (refused: SentCallback & { readonly label: string }) => string | undefined | false,
): Promise<Finding> {
  const { sent, exchanges, unaccepted } = await sendVariants(run, forms)
  if (unaccepted) return unaccepted
  const refused = sent.filter((each) => !isTaken(each))
  if (refused.length === 0)
    return pass(`The receiver accepted the callback ${Object.keys(forms).join(' and ')}.`, ...exchanges)
  const seen = refused.map((each) => `${answerText(each)} to the correctly signed callback ${each.label}`)
  return mended(fail(`The receiver ${seen.join('; ')}.`, ...exchanges), fixOf(refused[0]!))
}

/** An intentional error of a response, in words and as a scenario. */
type Fault = readonly [text: string, then: Then]

export const INTERNAL = { error_code: 'internal', error_message: 'a fault of the service' } as const
export const LOST_RESPONSE: Fault = [
  'The payment is accepted, and the connection is cut before the response',
  { fault: 'lost-response' },
]
export const ERROR_AFTER: Fault = [
  'The payment is accepted, and the response is a 500',
  { respond: { ...INTERNAL, performed: true } },
]

/** Waits until the shop has sent no request for an order for `calm` milliseconds, and returns those that it sent. */
export async function attempts(run: CheckRun, order: Order, calm: number, most: number, label = 'request') {
  await run.orders.quiet(calm, most, order)
  const tries = await run.orders.tries(order)
  return { tries, exchanges: numbered(tries, label) }
}

/** Judges an order by its state in the end. */
export async function believes(
  run: CheckRun,
  paid: Pick<PaidOrder, 'order'>,
  accepts: (standing: Standing) => boolean,
  exchanges: readonly Exchange[],
  text = (standing: Standing) => `The order is ${standingText(standing)}.`,
  fixOf: (standing: Standing) => string | undefined | false = () => undefined,
): Promise<Finding> {
  const standing = await run.standing(paid, accepts)
  return mended(passIf(accepts(standing), text(standing), ...exchanges), fixOf(standing))
}

/** Places an order per fault, which its first request meets, and judges its payments and deliveries. */
export async function afterFaults(run: CheckRun, faults: readonly Fault[]): Promise<Finding> {
  const findings: Finding[] = []
  for (const [text, then] of faults) {
    await run.useScenario(`${text}; then everything works.`, then, { settle: { status: 'success' } })
    findings.push(await afterFault(run, run.orders.place()))
  }
  return worstOf(findings)
}

async function afterFault(run: CheckRun, order: Order): Promise<Finding> {
  const { patience } = run.profile.client
  const { tries, exchanges } = await attempts(run, order, patience, patience * 4)
  const payments = await run.orders.payments(order)
  if (tries.length === 0) return unsure('The shop sent no request for the order.')
  if (isTaken(tries[0]!)) return unsure('The first request for the order did not meet the fault.')
  await run.settle()
  const seen = `There were ${tries.length} requests and ${payments.length} payments for one order.`
  if (payments.length > 1) return fail(seen, ...exchanges)
  for (const payment of payments) await run.callbacks.waitForAll({ payment })
  const standing = await run.standing(order, (each) => payments.length === 0 || isPaidOnce(each))
  const both = `${seen} The order is ${standingText(standing)}.`
  const isWrong = (standing.fulfilled ?? 0) > 1 || (payments.length === 0 && !isUnpaid(standing))
  return passIf(!isWrong, both, ...exchanges)
}

/** Places an order per rejection with 400. @param messages - The reasons by the message of the service. */
export async function rejections(
  run: CheckRun,
  messages: Readonly<Record<string, string>>,
  mayStayOpen = false,
): Promise<Finding> {
  const findings: Finding[] = []
  for (const [error_message, why] of Object.entries(messages)) {
    await run.useScenario(`A payment gets a 400: ${why}.`, {
      respond: { error_code: 'invalid_argument', error_message },
    })
    const order = run.orders.place()
    const { patience } = run.profile.client
    const { tries, exchanges } = await attempts(run, order, patience / 2, patience * 2)
    const standing = await run.standing(order, ({ state }) => mayStayOpen || state !== 'open')
    const seen = `After a rejection because ${why}, the shop sent the payment ${times(tries.length)}, and the order is ${standingText(standing)}.`
    const repeated = new Set(tries.map(({ body }) => JSON.stringify(body))).size < tries.length
    findings.push(
      tries.length === 0
        ? unsure(seen)
        : repeated || !isUnpaid(standing)
          ? mended(fail(seen, ...exchanges), isDeliveredUnpaid(standing) && theOnly(DELIVERED_UNPAID))
          : standing.state === 'open' && !mayStayOpen
            ? fail(`${seen} It stays open forever.`, ...exchanges)
            : pass(seen, ...exchanges),
    )
  }
  return worstOf(findings)
}

export const IGNORES_FAILED = {
  'If no reason is treated as a failure':
    'Mark the order as failed when a callback or status query has the status failed, whatever the reason.',
}

/** Lets one payment fail for each reason; all orders must end as failed. */
export async function failures(run: CheckRun, reasons: readonly Reason[]): Promise<Finding> {
  const wrong: [string, Standing][] = []
  const sent: Exchange[] = []
  await run.useScenario(
    `Payments fail, each for a different reason: ${reasons.join(', ')}.`,
    ...reasons.map((reason): Then => ({ settle: { status: 'failed', reason } })),
  )
  const orders: PaidOrder[] = []
  for (const _ of reasons) orders.push(await run.orders.pay())
  await run.settle()
  for (const paid of orders) sent.push(...(await run.callbacks.waitForAll(paid)))
  for (const [n, reason] of reasons.entries()) {
    const standing = await run.standing(orders[n]!, ({ state }) => state !== 'open')
    if (!isUnpaid(standing) || standing.state === 'open') wrong.push([reason, standing])
  }
  if (wrong.length === 0)
    return pass(`The shop treated each of ${reasons.length} reasons as a failure.`, ...sent)
  const isAll =
    wrong.length === reasons.length && new Set(wrong.map(([, each]) => standingText(each))).size === 1
  const cases = wrong.map(([reason, standing]) => [reason, standingText(standing)] as const)
  const seen = isAll ? `for all ${reasons.length} reasons the order is ${cases[0]![1]}` : casesText(cases)
  if (wrong.every(([, standing]) => isDeliveredUnpaid(standing)))
    return mended(fail(`The shop delivers failed orders: ${seen}.`, ...sent), theOnly(DELIVERED_UNPAID))
  if (isAll)
    return mended(fail(`The shop treats no reason as a failure: ${seen}.`, ...sent), theOnly(IGNORES_FAILED))
  return fail(`The shop did not treat every reason as a failure: ${seen}.`, ...sent)
}

/** Lets a payment succeed and be reversed later. */
export async function reversed(run: CheckRun, later: string, title: string): Promise<Finding> {
  await run.useScenario(title, {
    settle: { status: 'success' },
    later: [{ after: later, status: 'reversed' }],
  })
  const paid = await run.orders.pay()
  await run.settle('1m')
  await run.callbacks.waitForAll(paid)
  const before = await run.standing(paid, isPaidOnce, { queues: false })
  await run.settle()
  const sent = await run.callbacks.waitForAll(paid)
  const standing = await run.standing(paid, isTakenBack)
  const seen = `After the success the order was ${standingText(before)}, after the reversal it is ${standingText(standing)}.`
  if (before.state !== 'paid') return unsure(seen, ...sent)
  if ((standing.fulfilled ?? 0) > (before.fulfilled ?? 0))
    return mended(fail(`${seen} The reversal delivers again.`, ...sent), theOnly(DELIVERED_UNPAID))
  return passIf(isTakenBack(standing), seen, ...sent)
}

export const isDeliveredUnpaid = ({ state, fulfilled = 0 }: Standing) => state !== 'paid' && fulfilled > 0

/** Whether the shop took the value back or flagged the order. */
export const isTakenBack = ({ state, fulfilled }: Standing) =>
  state !== 'paid' && state !== 'open' && (state !== 'unknown' || fulfilled !== undefined)

/** Sends the callback of a payment twice with the same id. */
export async function repeated(run: CheckRun): Promise<Finding> {
  const paid = await run.succeededPayment()
  run.evidence.step('The callback is sent.')
  const first = await run.callbacks.send(paid, 'first')
  run.evidence.step('It is resent with the same id.')
  return once(run, paid, [first, await run.callbacks.again(first, 'copy')])
}
