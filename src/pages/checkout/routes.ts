import type { Context, Hono } from 'hono'
import type { Env } from '../../http/exchange.ts'
import { bankPage } from './bank.ts'
import { isAtFault, type RefusedCard, type Typed, typedIn } from './card-form.ts'
import { type Checkout, findCheckout, nothingThere, pathsOf } from './find.ts'
import { checkoutView } from './view.ts'
import { missing, readForm, refusedForm, wantsPage } from '../page.ts'
import { type CardField, readCard } from '../../service/domain/cards.ts'
import {
  cancelCheckout,
  challengeOf,
  openCheckout,
  payByCard,
  payCheckout,
} from '../../service/domain/checkout.ts'
import { Faults } from '../../service/domain/errors.ts'
import { rails } from '../../service/vocabulary/rails.ts'
import type { World } from '../../worlds/world.ts'
import type { Worlds } from '../../worlds/registry.ts'

/**
 * The checkout page of a global pay-in. Its unguessable address is the permission. Nothing settles the
 * payment while the page is open. Afterwards the payer continues to `redirect_url` (specification 6.2).
 * @param isHosted - whether only a click of the payer leads there
 */
export function checkoutPage(app: Hono<Env>, worlds: Worlds, isHosted: boolean): void {
  const find = findCheckout(worlds, isHosted)
  app.get('/checkout/:world/:id', async (c) => {
    const found = await find(c)
    if (!found) return missing(c, nothingThere(c))
    const { world, row } = found
    if (row.status !== 'QUEUED' || row.checkout_opened_at !== undefined || !isOpened(c))
      return checkoutView(c, found)
    await world.change((tx) => openCheckout(tx, row.id))
    const opened = await find(c)
    return opened ? checkoutView(c, opened) : missing(c, nothingThere(c))
  })

  app.post('/checkout/:world/:id', async (c) => {
    const found = await find(c)
    if (!found) return missing(c, nothingThere(c))
    const { world, row } = found
    try {
      const { action, fields } = await readForm(c, ['pay', 'cancel'])
      const typed =
        rails[row.rail].payer === 'card' && row.status === 'QUEUED' && action === 'pay'
          ? typedIn(fields)
          : undefined
      if (action === 'cancel') await world.change((tx) => cancelCheckout(tx, row.id))
      else if (!typed) await world.change((tx) => payCheckout(tx, row.id))
      else {
        const faults = await charge(world, row.id, typed)
        if (isAtFault(faults)) return refuseCard(c, found, { typed, faults })
      }
    } catch (error) {
      return refusedForm(c, error, 'Not possible')
    }
    const left = await find(c)
    const { own, bank } = pathsOf(c, found)
    // The policy forbids redirects of a form to another origin, so the page itself continues from here.
    return c.redirect(left && challengeOf(left.row) ? bank : own, 303)
  })

  bankPage(app, find)
}

/** Charges the card if it is valid. @returns the errors of the form */
const charge = (world: World, id: number, typed: Typed) =>
  world.change((tx) => {
    const { card, faults } = readCard(typed, tx.now)
    const all = typed.name.trim() === '' ? { ...faults, name: 'is required' } : faults
    if (!isAtFault(all)) payByCard(tx, id, card)
    return all
  })

/** Whether a person opened the page, as opposed to a HEAD request or a prefetch. */
const isOpened = ({ req }: Context) =>
  req.method === 'GET' && !/prefetch/.test(`${req.header('sec-purpose')} ${req.header('purpose')}`)

/**
 * Shows the form again with its errors and everything except secrets.
 * @throws {ServiceError} 400 if the client is a program
 */
function refuseCard(c: Context, found: Checkout, refused: RefusedCard) {
  if (wantsPage(c)) return checkoutView(c, found, refused)
  const faults = new Faults()
  for (const [field, fault] of Object.entries(refused.faults) as [CardField, string][])
    faults.add(field, fault)
  return faults.throwAny()
}
