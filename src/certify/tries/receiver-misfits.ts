/** Callbacks, rightly signed, that tell something else than was asked for. */
import type { Wanted } from '../callbacks.ts'
import { standingText } from '../probe.ts'
import { isFlagged, isPaidOnce, isUnpaid } from './receiver-effects.ts'
import { held, SUCCESS, untold } from './receiver-signatures.ts'
import { answerText, fail, type ActiveCheck, pass } from './try.ts'

const NEEDS = ['trigger', 'probe'] as const

/** What a callback may tell beside what was asked for, rightly signed. */
const OTHERWISE: Readonly<Record<string, NonNullable<Wanted['set']>>> = {
  'an amount of 1': { amount: 1 },
  'another currency': { currency: 'UGX' },
  // Of whose account a payment is, its reference alone tells.
  'a payment into another account': { reference: 'ELSEWHERE000.iI', provider_reference: 'ELSEWHERE0' },
}

const misfit: ActiveCheck = {
  time: 'frozen',
  needs: NEEDS,
  async make(stage) {
    const wrong: string[] = []
    const exchanges = []
    // A shop that never asks is not told the service’s references, by which it could compare.
    const compares = stage.profile.features.includes('look-ups')
    const ways = Object.entries(OTHERWISE).filter(([, { reference }]) => compares || reference === undefined)
    // All orders are placed first, so that until the last is told of the shop has long been answered.
    const orders = [await held(stage)]
    while (orders.length < ways.length) orders.push(await stage.orders.pay())
    for (const [n, [what, set]] of ways.entries()) {
      const paid = orders[n]!
      stage.notes.did(`A callback of success, rightly signed, tells of ${what}.`)
      const { exchange } = await stage.callbacks.send(paid, what, { set: { ...SUCCESS, ...set } })
      exchanges.push(exchange)
      const standing = await stage.believes(paid)
      if (!isUnpaid(standing)) wrong.push(`for ${what} the order is ${standingText(standing)}`)
    }
    if (wrong.length > 0)
      return fail(`A callback that does not fit was taken for payment: ${wrong.join('; ')}.`, ...exchanges)
    const told = ways.map(([what]) => what).join(' or ')
    return pass(`No order was paid or delivered for ${told}.`, ...exchanges)
  },
}

const overpaid: ActiveCheck = {
  time: 'frozen',
  needs: NEEDS,
  async make(stage) {
    const paid = await untold(stage)
    stage.notes.did('A callback of success, rightly signed, tells of twice the amount.')
    const sent = await stage.callbacks.send(paid, 'twice the amount', { set: { amount: paid.amount * 2 } })
    const standing = await stage.believes(paid, (each) => isPaidOnce(each) || isFlagged(each))
    const seen = `The order is ${standingText(standing)}.`
    return isPaidOnce(standing) || isFlagged(standing) ? pass(seen, sent.exchange) : fail(seen, sent.exchange)
  },
}

const nobodys: ActiveCheck = {
  time: 'frozen',
  async make(stage) {
    const paid = await held(stage)
    const nobody = {
      ...SUCCESS,
      external_reference: `nobody-${paid.order}`,
      reference: 'NOBODY000000.iI',
      provider_reference: 'NOBODY0000',
    }
    stage.notes.did('A callback, rightly signed, names a payment that never was.')
    const sent = await stage.callbacks.send(paid, 'of nobody', { set: nobody })
    const seen = `The receiver ${answerText(sent)}.`
    if ((sent.status ?? 500) >= 500) return fail(seen, sent.exchange)
    if (!stage.look || !stage.profile.trigger)
      return pass(`${seen} What it did to orders was not seen.`, sent.exchange)
    const standing = await stage.believes(paid)
    if (isUnpaid(standing)) return pass(`${seen} No order changed.`, sent.exchange)
    return fail(`${seen} And the order that was not named is ${standingText(standing)}.`, sent.exchange)
  },
}

export const receiverMisfits = {
  'RCV-17': misfit,
  'RCV-18': overpaid,
  'RCV-19': nobodys,
} as const
