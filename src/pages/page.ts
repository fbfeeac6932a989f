import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import { createHash } from 'node:crypto'
import { browserFile } from '../files.ts'
import { refusalOf } from '../http/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { mountOf } from '../http/origin.ts'
import { readText, requireNoNul } from '../http/read-body.ts'
import type { Log } from '../lib/log/log.ts'
import { shown } from '../lib/text/shown.ts'
import { tokens } from './tokens.ts'
import { errorStatus, invalid, ServiceError } from '../service/domain/errors.ts'

/** Whether a browser asks, which names text/html before anything else; programs take what they get. */
export const wantsPage = (c: Context) =>
  (c.req.header('accept') ?? '').includes('text/html') && !prefersMarkdown(c)

/** Whether a program asks that reads for another: it names text/markdown, and names it first. */
export function prefersMarkdown(c: Context): boolean {
  const accept = c.req.header('accept') ?? ''
  const at = accept.indexOf('text/markdown')
  return at >= 0 && !accept.slice(0, at).includes('text/html')
}

/** The style of pages that show one card. */
const cardStyle = tokens + browserFile('card.css')

/** The style of pages of text. */
export const sheetStyle = tokens + browserFile('sheet.css')

export interface Page {
  readonly title: string
  readonly body: unknown
  /** What stands before it, such as the way to other pages. */
  readonly before?: unknown
  /** What stands after it. */
  readonly after?: unknown
  /** Its rules, when it is no card. */
  readonly style?: string
  /** Rules beside those. */
  readonly moreStyle?: string
  readonly status?: 200 | 400 | 404 | 405 | 413 | 429 | 500 | 503
  /** Where it has its picture from. */
  readonly picture?: URL | undefined
  /** What the browser opens by itself after so many seconds; the same page anew when `url` is left out. */
  readonly next?: { readonly after: number; readonly url?: string } | undefined
  /** A script that runs when all of it is there. */
  readonly script?: string
  /** Where the same is as Markdown. */
  readonly markdown?: string
  /** `same-origin` for a page whose form needs an `Origin` header that is not `null`. */
  readonly referrers?: 'same-origin'
  /** The directive of who may frame it; nobody when left out, everybody when empty. */
  readonly frameAncestors?: string
}

/** An origin with nothing in it that means something else in a policy. */
const PLAIN = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** A page that loads nothing from anywhere, under a policy that lets it. */
export function page(c: Context, shown: Page) {
  for (const [name, value] of Object.entries(pageHeaders(shown))) c.header(name, value)
  c.header('Cache-Control', 'no-store')
  return c.html(pageText(shown), shown.status ?? 200)
}

/** What a page is sent with, whoever asks for it. */
export function pageHeaders(shown: Page): { readonly [name: string]: string } {
  const { picture, script } = shown
  const { frameAncestors = "frame-ancestors 'none'" } = shown
  const pictures = picture && PLAIN.test(picture.origin) ? `img-src ${picture.origin}; ` : ''
  const scripts = script === undefined ? '' : `script-src ${hashOf(script)}; `
  return {
    'Content-Security-Policy': `default-src 'none'; style-src ${hashOf(styleOf(shown))}; ${scripts}${pictures}form-action 'self'; base-uri 'none'; ${frameAncestors}`,
    'Referrer-Policy': shown.referrers ?? 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}

const styleOf = ({ style = cardStyle, moreStyle = '' }: Page) => style + moreStyle
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page itself. */
export function pageText(shown: Page) {
  const { title, body, before = '', after = '', next, script, markdown } = shown
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${next && html`<meta http-equiv="refresh" content="${next.after}${next.url === undefined ? '' : `;url=${next.url}`}" />`}
        ${markdown === undefined ? '' : html`<link rel="alternate" type="text/markdown" href="${markdown}" />`}
        ${raw(`<style>${styleOf(shown)}</style>`)}
      </head>
      <body>
        ${before}
        <main>${body}</main>
        ${after} ${script === undefined ? '' : raw(`<script>${script}</script>`)}
      </body>
    </html>`
}

/** What is not there: a page for a browser, the error's body for a program. @throws the error */
export function missing(c: Context, error: ServiceError) {
  if (!wantsPage(c)) throw error
  return page(c, {
    title: 'Not found',
    status: 404,
    body: html`<h1>Not found</h1>
      <p class="outcome" role="status">${error.message}</p>
      <footer>This is a sandbox: a link of its own ends with its world, at a reset or a restart.</footer>`,
  })
}

/** Bytes of a form: which button was pressed, and a few short fields. */
const FORM_LIMIT = 16_384

/**
 * The `action` of a form that was sent, url-encoded.
 * @throws ServiceError 400 naming the actions there are when it is none of them, 413 for a form over the limit
 */
export const readAction = async <const Action extends string>(
  c: Context,
  actions: readonly Action[],
): Promise<Action> => (await readForm(c, actions)).action

/**
 * The same, with the other fields of the form.
 * @throws ServiceError 400 naming the actions there are when it is none of them, 413 for a form over the limit
 */
export async function readForm<const Action extends string>(
  c: Context,
  actions: readonly Action[],
): Promise<{ readonly action: Action; readonly fields: URLSearchParams }> {
  const fields = new URLSearchParams(await readText(c, FORM_LIMIT))
  requireNoNul(Object.fromEntries(fields))
  const sent = fields.getAll('action')
  const action = actions.find((each) => each === sent[0])
  if (action !== undefined && sent.length === 1) return { action, fields }
  const got = sent.length === 0 ? '' : `, got ${sent.map(shown).join(' and ')}`
  throw invalid(`action must be one of ${actions.join(', ')}${got}`)
}

/**
 * What a form that is refused leads to: a page for a browser, the error's body for a program.
 * @param title what the page says of it in two words
 * @throws the error when it is no refusal, or a program asks
 */
export function refusedForm(c: Context, error: unknown, title = 'Not understood') {
  if (!(error instanceof ServiceError) || !wantsPage(c)) throw error
  const status = errorStatus[error.code]
  if (status !== 400 && status !== 413) throw error
  // The rest of what is too large is not read; the connection cannot be used again.
  if (status === 413) c.header('Connection', 'close')
  return page(c, {
    title,
    status,
    body: html`<h1>${title}</h1>
      <p class="outcome" role="status">${error.message}</p>
      <a class="button" href="${mountOf(c) + c.req.path}">Back</a>
      <footer>Nothing was changed.</footer>`,
  })
}

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
