import { html } from 'hono/html'
import { ServiceError } from '../service/domain/errors.ts'
import { refusalOf } from '../http/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { mountOf } from '../http/origin.ts'
import type { Log } from '../lib/log/log.ts'
import { page, wantsPage, type Page } from './page.ts'

/** Programs ask here, whatever they say that they take: some say `text/html` of themselves. */
const API = /^\/(?:api|sandbox|__admin|metrics)(?:\/|$)/

const titles: { readonly [status: number]: string } = {
  400: 'Not understood',
  404: 'Not found',
  405: 'Not allowed',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available',
}

/** The answer for what was thrown: a page for a browser, the error's body for a program. */
export function refuse(
  exchange: Exchange,
  error: unknown,
  log: Log,
  headers: { readonly [name: string]: string } = {},
): Response | Promise<Response> {
  const { c } = exchange
  if (!wantsPage(c) || API.test(c.req.path)) return exchange.refuse(error, headers)
  const { status, body, headers: more = {} } = refusalOf(error, c, log, headers)
  for (const [name, value] of Object.entries(more)) c.header(name, value)
  const title = titles[status] ?? 'Refused'
  const { error_message } = body as { readonly error_message: string }
  return page(c, {
    title,
    status: status as NonNullable<Page['status']>,
    body: html`<h1>${title}</h1>
      <p class="outcome" role="status">${error_message}</p>
      <a class="button" href="${mountOf(c)}/">To the first page</a>
      <footer>
        ${error instanceof ServiceError ? 'Nothing was changed.' : 'This is a fault of the sandbox.'}
      </footer>`,
  })
}
