import { html } from 'hono/html'
import { flatResult } from '../../domain/results.ts'
import type { TransactionRow } from '../../store/rows.ts'

/** How long an outcome is shown before the payer is led on, seconds. */
export const SHOWN_FOR = 3

/** What came of a payment, and the way back to the shop. @param url where that is */
export function outcome(row: TransactionRow, url: string | undefined) {
  const { title, kind, more } = outcomeOf(row)
  return html`<p class="outcome ${kind}" role="status">
      <strong>${title}</strong> ${flatResult(row).message} ${more && html`<span>${more}</span>`}
    </p>
    ${
      url === undefined
        ? html`<p class="waits">You can close this page.</p>`
        : html`<a class="button" href="${url}">Back to the shop</a>
            <p class="waits">You are taken to <bdi>${new URL(url).host}</bdi> in ${SHOWN_FOR} seconds.</p>`
    }`
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

/** `redirect_url` with `reference` and `status` added; the query it has stays as it was written. */
export function leadsTo(row: TransactionRow): string | undefined {
  const url = row.redirect_url === '' ? null : URL.parse(row.redirect_url)
  // Rows that were imported may have another.
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const added = new URLSearchParams({ reference: row.reference, status: flatResult(row).status })
  url.search = url.search === '' ? `?${added}` : `${url.search}&${added}`
  return url.href
}
