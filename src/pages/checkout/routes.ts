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
 * The page where the payer of a global pay-in finishes; its address, which cannot be guessed, is the permission. While it is
 * open nothing settles the payment by itself. Once it has ended, the payer goes on to `redirect_url` (specification 6.2).
 * @param isHosted then only the payer's press leads there
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
    // A form may not lead to another origin, nor to one that leads there: the page itself goes on from here.
    return c.redirect(left && challengeOf(left.row) ? bank : own, 303)
  })

  bankPage(app, find)
}

/** Charges the card that was typed, unless it cannot be read. @returns what is wrong with it */
const charge = (world: World, id: number, typed: Typed) =>
  world.change((tx) => {
    const { card, faults } = readCard(typed, tx.now)
    const all = typed.name.trim() === '' ? { ...faults, name: 'is required' } : faults
    if (!isAtFault(all)) payByCard(tx, id, card)
    return all
  })

/** Whether somebody sees it: what only looks whether it is there, or fetches it in advance, is nobody. */
const isOpened = ({ req }: Context) =>
  req.method === 'GET' && !/prefetch/.test(`${req.header('sec-purpose')} ${req.header('purpose')}`)

/**
 * What a card that cannot be read leads to: the form again, each fault at its field, with what is no secret still in it.
 * @throws ServiceError 400 with the faults when a program asks
 */
function refuseCard(c: Context, found: Checkout, refused: RefusedCard) {
  if (wantsPage(c)) return checkoutView(c, found, refused)
  const faults = new Faults()
  for (const [field, fault] of Object.entries(refused.faults) as [CardField, string][])
    faults.add(field, fault)
  return faults.throwAny()
}
