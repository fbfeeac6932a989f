import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { notFound } from '../domain/errors.ts'
import { formatMoney } from '../domain/money.ts'
import { flatResult } from '../domain/results.ts'
import { settle } from '../domain/transactions.ts'
import type { Env } from '../http/env.ts'
import { mountOf } from '../http/origin.ts'
import type { TransactionRow } from '../store/rows.ts'
import { isCheckoutProof, readCheckoutId } from '../worlds/checkout-address.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { readAction, refusedForm } from './form.ts'
import { missing, page } from './page.ts'

/**
 * The page where the payer of a global pay-in finishes, by hand, instead of waiting for the settlement; its
 * address, which cannot be guessed, is the permission. Then the payer goes to `redirect_url` (specification 6.2).
 */
export function checkoutPage(app: Hono<Env>, worlds: Worlds): void {
  app.get('/checkout/:world/:id', async (c) => {
    const found = await look(c, worlds)
    return found ? show(c, found.row, found.team) : missing(c, notFound('checkout', c.req.param('id')))
  })

  app.post('/checkout/:world/:id', async (c) => {
    const { world, row } = await find(c, worlds)
    try {
      const action = await readAction(c, ['pay', 'cancel'])
      await world.change((tx) =>
        action === 'pay' ? settle(tx, row.id, 'SUCCESS', null) : settle(tx, row.id, 'FAILED', 'cancelled'),
      )
    } catch (error) {
      return refusedForm(c, error)
    }
    const settled = (await find(c, worlds)).row
    return c.redirect(leadsTo(settled) ?? mountOf(c) + c.req.path, 303)
  })
}

interface Found {
  readonly world: World
  readonly row: TransactionRow
  readonly team: string
}

async function find(c: Context<Env>, worlds: Worlds): Promise<Found> {
  const found = await look(c, worlds)
  if (!found) throw notFound('checkout', c.req.param('id')!)
  return found
}

async function look(c: Context<Env>, worlds: Worlds): Promise<Found | undefined> {
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
    if (!isCheckoutProof(world, row, proof)) return undefined
    return { row, team: rows.get('teams', row.account_id)?.name ?? '' }
  })
  return world && found && { world, ...found }
}

/** `redirect_url` with `reference` and `status` added; the query it has stays as it was written. */
function leadsTo(row: TransactionRow): string | undefined {
  if (row.redirect_url === '') return undefined
  const url = new URL(row.redirect_url)
  const added = new URLSearchParams({ reference: row.reference, status: flatResult(row).status })
  url.search = url.search === '' ? `?${added}` : `${url.search}&${added}`
  return url.href
}

const rails = { momo: 'Mobile money', bank: 'Bank account', card: 'Card' } as const

function show(c: Context<Env>, row: TransactionRow, team: string) {
  const next = leadsTo(row)
  const payer =
    row.rail === 'card'
      ? ''
      : html`<dt>From</dt>
          <dd>${row.party}</dd>`
  const choice = html`<form method="post">
    <button name="action" value="cancel" class="plain">Cancel</button>
    <button name="action" value="pay">Pay</button>
  </form>`
  const outcome = html`<p class="outcome" role="status">${flatResult(row).message}</p>
    ${next ? html`<a class="button" href="${next}">Back to the shop</a>` : ''}`
  return page(c, {
    title: `Pay ${team}`,
    formTarget: next ? new URL(next).origin : undefined,
    body: html`<h1>${team}</h1>
      <p class="amount">${row.currency} ${formatMoney(row.amount, row.currency)}</p>
      <dl>
        <dt>By</dt>
        <dd>${rails[row.rail]}</dd>
        ${payer}
        <dt>Reference</dt>
        <dd>${row.reference}</dd>
      </dl>
      ${row.status === 'QUEUED' ? choice : outcome}
      <footer>This is a sandbox: no money moves.</footer>`,
  })
}
