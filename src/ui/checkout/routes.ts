import type { Context, Hono } from 'hono'
import { cancelCheckout, openCheckout, payCheckout } from '../../domain/checkout.ts'
import { notFound } from '../../domain/errors.ts'
import type { Env } from '../../http/env.ts'
import { mountOf } from '../../http/origin.ts'
import { isCheckoutProof, readCheckoutId } from '../../worlds/checkout-address.ts'
import type { World } from '../../worlds/world.ts'
import type { Worlds } from '../../worlds/worlds.ts'
import { readAction, refusedForm } from '../form.ts'
import { missing } from '../page.ts'
import { checkoutView, type Checkout } from './view.ts'

/**
 * The page where the payer of a global pay-in finishes; its address, which cannot be guessed, is the permission. While it is
 * open nothing settles the payment by itself. Once it has ended, the payer goes on to `redirect_url` (specification 6.2).
 */
export function checkoutPage(app: Hono<Env>, worlds: Worlds): void {
  app.get('/checkout/:world/:id', async (c) => {
    const found = await look(c, worlds)
    if (!found) return missing(c, nothing(c))
    const { world, row } = found
    if (row.status !== 'QUEUED' || row.checkout_opened_at !== undefined || !isOpened(c))
      return checkoutView(c, found, world.clock)
    await world.change((tx) => openCheckout(tx, row.id))
    const opened = await look(c, worlds)
    return opened ? checkoutView(c, opened, world.clock) : missing(c, nothing(c))
  })

  app.post('/checkout/:world/:id', async (c) => {
    const found = await look(c, worlds)
    if (!found) return missing(c, nothing(c))
    const { world, row } = found
    try {
      const action = await readAction(c, ['pay', 'cancel'])
      await world.change((tx) => (action === 'pay' ? payCheckout(tx, row.id) : cancelCheckout(tx, row.id)))
    } catch (error) {
      return refusedForm(c, error, 'Not possible')
    }
    // A form may not lead to another origin, nor to one that leads there: the page itself goes on from here.
    return c.redirect(mountOf(c) + c.req.path, 303)
  })
}

const nothing = (c: Context) => notFound('checkout', c.req.param('id')!)

/** Whether somebody sees it: what only looks whether it is there, or fetches it in advance, is nobody. */
const isOpened = ({ req }: Context) =>
  req.method === 'GET' && !/prefetch/.test(`${req.header('sec-purpose')} ${req.header('purpose')}`)

async function look(c: Context<Env>, worlds: Worlds): Promise<(Checkout & { world: World }) | undefined> {
  const { id, proof } = readCheckoutId(c.req.param('id')!)
  const world = worlds.get(c.req.param('world')!)
  const found = await world?.read(({ rows }) => {
    const [row] = rows.find('transactions', 'identifier', id)
    if (
      row?.checkout_request_id !== id ||
      row.operation !== 'createGlobalPayment' ||
      row.direction !== 'payin'
    )
      return undefined
    return isCheckoutProof(world, row, proof) ? { row, team: rows.get('teams', row.account_id) } : undefined
  })
  return world && found && { world, ...found }
}
