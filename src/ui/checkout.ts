import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { notFound } from '../domain/errors.ts'
import { formatMoney } from '../domain/money.ts'
import { flatResult } from '../domain/results.ts'
import { settle } from '../domain/transactions.ts'
import type { Env } from '../http/env.ts'
import type { TransactionRow } from '../store/rows.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { page } from './page.ts'

/**
 * The page where the payer of a global pay-in finishes, by hand, instead of waiting for the settlement; its
 * address, which cannot be guessed, is the permission. Then the payer goes to `redirect_url` (specification 6.2).
 */
export function checkoutPage(app: Hono<Env>, worlds: Worlds): void {
  app.get('/checkout/:world/:id', async (c) => {
    const { row, team } = await find(c, worlds)
    return show(c, row, team)
  })

  app.post('/checkout/:world/:id', async (c) => {
    const { world, row } = await find(c, worlds)
    const { action } = await c.req.parseBody()
    await world.change((tx) =>
      action === 'pay' ? settle(tx, row.id, 'SUCCESS', null) : settle(tx, row.id, 'FAILED', 'cancelled'),
    )
    const settled = (await find(c, worlds)).row
    return c.redirect(leadsTo(settled) ?? c.req.path, 303)
  })
}

async function find(
  c: Context<Env>,
  worlds: Worlds,
): Promise<{ world: World; row: TransactionRow; team: string }> {
  const id = c.req.param('id')!
  const world = worlds.get(c.req.param('world')!)
  const found = await world?.read(async ({ rows }) => {
    const [row] = await rows.find('transactions', 'identifier', id)
    if (
      row?.checkout_request_id !== id ||
      row.operation !== 'createGlobalPayment' ||
      row.direction !== 'payin'
    )
      return undefined
    return { row, team: (await rows.get('teams', row.account_id))?.name ?? '' }
  })
  if (!world || !found) throw notFound('checkout', id)
  return { world, ...found }
}

/** `redirect_url` with `reference` and `status` added to the query it has. */
function leadsTo(row: TransactionRow): string | undefined {
  if (row.redirect_url === '') return undefined
  const url = new URL(row.redirect_url)
  url.searchParams.set('reference', row.reference)
  url.searchParams.set('status', flatResult(row).status)
  return url.href
}

function show(c: Context<Env>, row: TransactionRow, team: string) {
  const result = flatResult(row)
  const next = leadsTo(row)
  const who =
    row.rail === 'momo' ? `phone ${row.party}` : row.rail === 'card' ? 'your card' : `account ${row.party}`
  const choice = html`<p>${team} asks to take this from ${who}.</p>
    <form method="post">
      <button name="action" value="pay">Pay</button>
      <button name="action" value="cancel" class="quiet">Cancel</button>
    </form>`
  const outcome = html`<p>${result.message}</p>
    ${next ? html`<p><a href="${next}">Back to the shop</a></p>` : ''}`
  return page(c, {
    title: `Pay ${team}`,
    formTarget: next ? new URL(next).origin : undefined,
    body: html`<h1>${row.currency} ${formatMoney(row.amount, row.currency)}</h1>
      ${row.status === 'QUEUED' ? choice : outcome}
      <p class="quiet">Reference ${row.reference}. This is a sandbox; no money moves.</p>`,
  })
}
