import type { Context } from 'hono'
import type { Env } from '../../http/exchange.ts'
import { mountOf } from '../../http/caller.ts'
import { hasCheckout } from '../../service/domain/checkout.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { checkoutPath, isCheckoutProof, readCheckoutId } from '../../worlds/checkout-address.ts'
import type { World } from '../../worlds/world.ts'
import type { Worlds } from '../../worlds/registry.ts'

/** A payment with a checkout page, and its Team unless it was deleted. */
export interface Checkout {
  readonly world: World
  readonly row: TransactionRow
  readonly team: TeamRow | undefined
  /** Whether anyone may have created the payment. If so, the page never redirects by itself. */
  readonly isHosted: boolean
}

/** Creates a handler that gets the payment of its address; without one it responds with 404. */
export type WithCheckout = (
  work: (c: Context<Env>, checkout: Checkout) => Response | Promise<Response>,
) => (c: Context<Env>) => Promise<Response>

/** Creates a function that finds the payment of a checkout address and verifies the address's proof. */
export function findCheckout(worlds: Worlds, isHosted: boolean) {
  return async (c: Context<Env>): Promise<Checkout | undefined> => {
    const { id, proof } = readCheckoutId(c.req.param('id')!)
    const world = await worlds.find(c.req.param('world')!)
    const found = await world?.read(({ rows }) => {
      const [row] = rows.find('transactions', 'identifier', id)
      if (row?.checkout_request_id !== id || !hasCheckout(row)) return undefined
      return isCheckoutProof(world, row, proof) ? { row, team: rows.get('teams', row.account_id) } : undefined
    })
    return world && found && { world, ...found, isHosted }
  }
}

/** The addresses of the checkout page and of the bank's page. */
export const pathsOf = (c: Context, { world, row }: Checkout) => {
  const own = mountOf(c) + checkoutPath(world, row)
  return { own, bank: `${own}/bank` }
}
