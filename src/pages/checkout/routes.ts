import type { Context, Hono } from 'hono'
import type { Env } from '../../http/exchange.ts'
import { bankPage } from './three-d-secure.ts'
import { cardFaults, keepTyped, type Typed, typedIn } from './forms.ts'
import { type Checkout, findCheckout, pathsOf, type WithCheckout } from './find.ts'
import { absent, checkoutView } from './view.ts'
import { readForm, refusedForm, wantsPage } from '../page.ts'
import { type CardFaults, type CardField, readCard } from '../../service/domain/cards.ts'
import {
  cancelCheckout,
  challengeOf,
  changeRail,
  openCheckout,
  payByCard,
  payCheckout,
} from '../../service/domain/checkout.ts'
import { Faults, invalid, notFound, ServiceError } from '../../service/domain/errors.ts'
import { isRail, railNames, rails } from '../../service/vocabulary/rails.ts'
import type { Worlds } from '../../worlds/registry.ts'

/**
 * The checkout page of a global pay-in. Its unguessable address is the permission. Nothing settles the
 * payment while the page is open. Afterwards the payer continues to `redirect_url` (specification 6.2).
 * @param isHosted - whether only a click of the payer leads there
 */
export function checkoutPage(app: Hono<Env>, worlds: Worlds, isHosted: boolean): void {
  const find = findCheckout(worlds, isHosted)

  const found: WithCheckout = (work) => async (c) => {
    const checkout = await find(c)
    return checkout ? work(c, checkout) : absent(c, notFound('checkout', c.req.param('id')!))
  }

  app.get(
    '/checkout/:world/:id',
    found(async (c, checkout) => {
      const { world, row } = checkout
      if (row.status !== 'QUEUED' || row.checkout_opened_at !== undefined || !isOpened(c))
        return checkoutView(c, checkout)
      await world.change((tx) => openCheckout(tx, row.id))
      return checkoutView(c, (await find(c)) ?? checkout)
    }),
  )

  app.post(
    '/checkout/:world/:id',
    found(async (c, checkout) => {
      const { world, row } = checkout
      const { own, bank } = pathsOf(c, checkout)
      let again: Typed | undefined
      try {
        const { action, fields } = await readForm(c, ['pay', 'continue', 'cancel'])
        const typed = typedIn(fields)
        if (action === 'cancel') {
          if (row.status === 'SUCCESS' && wantsPage(c)) return c.redirect(`${own}?late`, 303)
          await world.change((tx) => cancelCheckout(tx, row.id))
        } else if (action === 'continue') {
          if (!(await changesRail(checkout, typed, wantsPage(c)))) again = typed
        } else if (typed.rail && !isRail(typed.rail)) {
          throw invalid(`rail must be one of ${railNames.join(', ')}, got "${typed.rail}"`)
        } else if (
          row.status === 'QUEUED' &&
          // The action alone stands for a valid card.
          fields.size > 1 &&
          [row.rail, typed.rail].includes('card')
        ) {
          const faults = await charge(checkout, typed)
          if (!wantsPage(c)) reportAll(faults)
          const { row: left } = (await find(c)) ?? checkout
          if (left.status === 'QUEUED' && !challengeOf(left)) again = { ...typed, rail: 'card' }
        } else if (row.status !== 'QUEUED' || !challengeOf(row)) {
          await world.change((tx) => payCheckout(tx, row.id))
        }
      } catch (error) {
        return refusedForm(c, error)
      }
      if (again) {
        keepTyped(c, checkout, again)
        return c.redirect(again.rail === row.rail ? own : `${own}?method=${again.rail}`, 303)
      }
      const left = await find(c)
      // The policy forbids redirects of a form to another origin, so the page itself continues from here.
      return c.redirect(left && challengeOf(left.row) ? bank : own, 303)
    }),
  )

  bankPage(app, found)
}

/**
 * @returns whether the payer's choice is valid
 * @throws {ServiceError} 400 if it is not and `isPage` is false
 */
const changesRail = async ({ world, row }: Checkout, typed: Typed, isPage: boolean): Promise<boolean> => {
  try {
    const { rail, network, account_number } = typed
    await world.change((tx) =>
      changeRail(tx, row.id, { rail, network: network || undefined, account_number }),
    )
    return true
  } catch (error) {
    if (isPage && error instanceof ServiceError) return false
    throw error
  }
}

/** Charges the card if it is valid. @returns the errors of the form */
const charge = ({ world, row: { id, rail } }: Checkout, typed: Typed) =>
  world.change((tx) => {
    const faults = cardFaults(typed, tx.now)
    if (Object.keys(faults).length > 0) return faults
    if (rails[rail].payer !== 'card') changeRail(tx, id, { rail: 'card' })
    payByCard(tx, id, readCard(typed, tx.now).card)
    return faults
  })

/** Whether a person opened the page, as opposed to a HEAD request or a prefetch. */
const isOpened = ({ req }: Context) =>
  req.method === 'GET' && !/prefetch/.test(`${req.header('sec-purpose')} ${req.header('purpose')}`)

/** @throws {ServiceError} 400 if there are any */
function reportAll(found: CardFaults): void {
  const faults = new Faults()
  for (const [field, fault] of Object.entries(found) as [CardField, string][]) faults.add(field, fault)
  faults.throwAny()
}
