import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import { createHash } from 'node:crypto'
import { browserFile, type Described } from '../lib/files.ts'
import { refusalOf } from '../http/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { mountOf } from '../http/caller.ts'
import { readText, requireNoNul } from '../http/read-request.ts'
import type { Log } from '../lib/log/log.ts'
import { shown } from '../lib/text/shown.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { tokens } from './tokens.ts'
import { errorStatus, invalid, ServiceError } from '../service/domain/errors.ts'
import type { Guide } from '../worlds/guide.ts'
import type { EmbedOrigins } from './viewer/policy.ts'

/** What the pages of documentation depend on. */
export interface PageOptions {
  /** The default world for newcomers. */
  readonly guide: Guide
  /** Settings that make this sandbox differ from the guides: `SANDBOX_SETTLE_AFTER=0`. */
  readonly settings: () => readonly string[]
  readonly embedOrigins: EmbedOrigins
  /** Whether the legacy endpoints are served. */
  readonly extensions: boolean
  /** Whether `/__admin` always requires a token. */
  readonly isHosted: boolean
  readonly nonce: () => string
}

/** Returns the descriptions that are served. */
export const apisOf = ({ extensions }: Pick<PageOptions, 'extensions'>): readonly Described[] =>
  extensions ? ['service', 'control', 'extensions'] : ['service', 'control']

/** Whether a browser sent the request: browsers list text/html first. */
export const wantsPage = (c: Context) =>
  (c.req.header('accept') ?? '').includes('text/html') && !prefersMarkdown(c)

/** Whether the client prefers Markdown, as agents do. */
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
  /** English by default. */
  readonly language?: string
  readonly body: unknown
  /** Content before the main element, for example navigation. */
  readonly before?: unknown
  /** Content after the main element. */
  readonly after?: unknown
  /** Replaces the style of a card. */
  readonly style?: string
  /** Added to the style. */
  readonly moreStyle?: string
  readonly status?: 200 | 400 | 404 | 405 | 413 | 429 | 500 | 503
  /** The only address from which the page loads an image. */
  readonly picture?: URL | undefined
  /** Reloads the page after this many seconds, or opens `url`. */
  readonly next?: { readonly after: number; readonly url?: string } | undefined
  /** A script that runs at the end of the body. */
  readonly script?: string
  /** Whether the script may send requests to the sandbox. */
  readonly connects?: boolean
  /** The address of the Markdown version. */
  readonly markdown?: string
  /** `same-origin` for a page whose form needs an `Origin` header that is not `null`. */
  readonly referrers?: 'same-origin'
  /** The `frame-ancestors` directive; by default nobody may frame the page, if empty everybody may. */
  readonly frameAncestors?: string
}

/** An origin without characters that have a meaning in a policy. */
const PLAIN = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

export function page(c: Context, shown: Page) {
  for (const [name, value] of Object.entries(pageHeaders(shown))) c.header(name, value)
  c.header('Cache-Control', 'no-store')
  return c.html(pageText(shown), shown.status ?? 200)
}

export function pageHeaders(shown: Page): { readonly [name: string]: string } {
  const { picture, script } = shown
  const { frameAncestors = "frame-ancestors 'none'" } = shown
  // Browsers load the icon of the origin.
  const pictures = `img-src 'self'${picture && PLAIN.test(picture.origin) ? ` ${picture.origin}` : ''}; `
  const scripts =
    script === undefined
      ? ''
      : `script-src ${hashOf(script)}; ${shown.connects ? "connect-src 'self'; " : ''}`
  return {
    'Content-Security-Policy': `default-src 'none'; style-src ${hashOf(styleOf(shown))}; ${scripts}${pictures}form-action 'self'; base-uri 'none'; ${frameAncestors}`,
    'Referrer-Policy': shown.referrers ?? 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}

/** A page with a script goes on by it. */
const withoutScript = (script: string | undefined, element: unknown) =>
  script === undefined ? element : html`<noscript>${element}</noscript>`

const styleOf = ({ style = cardStyle, moreStyle = '' }: Page) => style + moreStyle
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export function pageText(shown: Page) {
  const { title, language = 'en', body, before = '', after = '', next, script, markdown } = shown
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${next && withoutScript(script, html`<meta http-equiv="refresh" content="${next.after}${next.url === undefined ? '' : `;url=${next.url}`}" />`)}
        ${markdown === undefined ? '' : html`<link rel="alternate" type="text/markdown" href="${markdown}" />`}
        ${raw(`<style>${styleOf(shown)}</style>`)}
      </head>
      <body>
        ${before}
        <main
          ${next && script !== undefined ? html`data-after="${next.after}" data-url="${next.url ?? ''}"` : ''}
        >
          ${body}
        </main>
        ${after} ${script === undefined ? '' : raw(`<script>${script}</script>`)}
      </body>
    </html>`
}

interface Notice extends Pick<Page, 'title' | 'status' | 'language' | 'before' | 'moreStyle'> {
  readonly text: string
  readonly link?: { readonly to: string; readonly text: string }
  readonly footer: string
}

/** A page with one sentence, and a way on. */
export const noticePage = (c: Context, { text, link, footer, ...shown }: Notice) =>
  page(c, {
    ...shown,
    body: html`<h1>${shown.title}</h1>
      <p class="outcome" role="status">${text}</p>
      ${link && html`<a class="button" href="${link.to}">${link.text}</a>`}
      <footer>${footer}</footer>`,
  })

/** Responds with a page that something was not found, or throws the error if the client is a program. */
export function missing(c: Context, error: ServiceError) {
  if (!wantsPage(c)) throw error
  return noticePage(c, {
    title: 'Not found',
    status: 404,
    text: error.message,
    footer: 'This is a sandbox. Its links end when their world is deleted or reset, or at a restart.',
  })
}

/** Responds that a name is unknown, with the closest one. @param where - such as `at /docs/guides` */
export const missingName = (
  c: Context,
  kind: string,
  name: string,
  known: readonly string[],
  where: string,
) => {
  const text = `${kind} ${name} was not found${didYouMean(name, known)}; all of them are ${where}`
  return missing(c, new ServiceError('resource_not_found', text))
}

/** Maximum size of a form in bytes. */
const FORM_LIMIT = 16_384

/**
 * Returns the `action` and the fields of a submitted form.
 * @throws {ServiceError} 400 naming the valid actions, 413 if the form is too large
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
 * Responds to an invalid form with a page, or throws the error if the client is a program or the error has
 * another cause.
 * @param link - the way on, by default back to the form; with it, 404 has a page too
 */
export function refusedForm(c: Context, error: unknown, link?: Notice['link']) {
  if (!(error instanceof ServiceError) || !wantsPage(c)) throw error
  const status = errorStatus[error.code]
  if (status !== 400 && status !== 413 && !(link && status === 404)) throw error
  // The rest of the body is not read, so the connection cannot be reused.
  if (status === 413) c.header('Connection', 'close')
  return noticePage(c, {
    title: titles[status]!,
    status,
    text: error.message,
    link: link ?? { to: mountOf(c) + c.req.path, text: 'Back' },
    footer: 'Nothing was changed.',
  })
}

/** Always respond with JSON here: some programs claim to accept `text/html`. */
const API = /^\/(?:api|sandbox|__admin|metrics)(?:\/|$)/

const titles: { readonly [status: number]: string } = {
  400: 'Invalid request',
  404: 'Not found',
  405: 'Not allowed',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available',
}

/** Responds to an error with a page for browsers and JSON for programs. */
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
  return noticePage(c, {
    title,
    status: status as NonNullable<Page['status']>,
    text: error_message,
    link: { to: `${mountOf(c)}/`, text: 'Go to the start page' },
    footer: error instanceof ServiceError ? 'Nothing was changed.' : 'This is an error in the sandbox.',
  })
}
