import { html } from 'hono/html'
import { flatResult } from '../../service/domain/results.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'

/** How long an outcome is shown before the payer is led on, seconds. */
export const SHOWN_FOR = 3

/** Returns the outcome of a payment with the way back to the shop. @param isHosted then only the payer's press leads there */
export function outcome(row: TransactionRow, url: string | undefined, isHosted: boolean) {
  const { title, kind, more } = outcomeOf(row)
  return html`<p class="outcome ${kind}" role="status">
      <strong>${title}</strong> ${flatResult(row).message} ${more && html`<span>${more}</span>`}
    </p>
    ${url === undefined ? html`<p class="waits">You can close this page.</p>` : wayBack(url, isHosted)}`
}

function wayBack(url: string, isHosted: boolean) {
  const host = html`<bdi>${new URL(url).host}</bdi>`
  return isHosted
    ? html`<a class="button" href="${url}">Continue to ${host}</a>`
    : html`<a class="button" href="${url}">Back to the shop</a>
        <p class="waits">You are taken to ${host} in ${SHOWN_FOR} seconds.</p>`
}

interface Outcome {
  readonly title: string
  readonly kind: 'good' | 'bad' | 'off'
  readonly more?: string
}

function outcomeOf({ status, reason }: TransactionRow): Outcome {
  if (status === 'SUCCESS') return { title: 'Paid', kind: 'good' }
  if (status === 'REVERSED') return { title: 'Paid back', kind: 'off' }
  const more = 'No money was taken.'
  if (reason === 'cancelled') return { title: 'Cancelled', kind: 'off', more }
  if (reason === 'expired') return { title: 'Expired', kind: 'off', more }
  return { title: 'Not paid', kind: 'bad', more }
}

/**
 * Returns `redirect_url` with `reference` and `status` added; its own query stays as it was written.
 * @param isHosted then without user info, which can make one host look like another
 */
export function leadsTo(row: TransactionRow, isHosted: boolean): string | undefined {
  const url = row.redirect_url === '' ? null : URL.parse(row.redirect_url)
  // Rows that were imported may have another.
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  if (isHosted) url.username = url.password = ''
  const added = new URLSearchParams({ reference: row.reference, status: flatResult(row).status })
  url.search = url.search === '' ? `?${added}` : `${url.search}&${added}`
  return url.href
}
