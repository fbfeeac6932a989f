import { access, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { notFound } from '../../domain/errors.ts'
import { files } from '../../files.ts'
import type { Env } from '../../http/env.ts'
import { page } from '../page.ts'
import type { Guide } from '../../worlds/guide.ts'
import { sheetStyle } from '../sheet-style.ts'
import { annotate } from './annotate.ts'
import { narrowTo, operationsOf, type Part } from './description.ts'
import { embedScript } from './embed-script.ts'
import { frameAncestors, shareWith, viewerPolicy, type EmbedOrigins } from './policy.ts'
import { startScript } from './start-script.ts'
import { viewerStyle } from './viewer-style.ts'

export interface ViewerOptions {
  /** Filled in where a request can be tried; without a password, only the name. */
  readonly guide: Guide
  readonly embedOrigins: EmbedOrigins
  /** A new nonce a page. */
  readonly nonce: () => string
}

const apis = { service: 'Payments and Teams', control: 'Sandbox control' } as const
type Api = keyof typeof apis

/** `/docs` and what it loads. Nothing is read before it is asked for; what was read is kept. */
export function viewerPages(app: Hono<Env>, options: ViewerOptions): void {
  const load = {
    service: lazy(() => loadDescription('service')),
    control: lazy(() => loadDescription('control')),
  }
  const bundle = lazy(loadBundle)
  const shared = shareWith(options.embedOrigins)

  app.get('/docs', (c) => viewerPage(c, options, { embedded: false }))
  app.get('/docs/embed', async (c) => {
    const operation = c.req.query('operation')
    if (operation === undefined) return viewerPage(c, options, { embedded: true })
    const single = await find(operation)
    if (!single) return unknownOperation(c, operation)
    return viewerPage(c, options, { embedded: true, single })
  })
  app.get('/docs/embed.js', shared, (c) => script(c, embedScript))
  app.get('/docs/start.js', (c) => script(c, startScript))
  app.get('/docs/viewer.css', (c) => c.body(viewerStyle, 200, { 'content-type': 'text/css; charset=utf-8' }))
  app.get('/docs/scalar.js', async (c) => {
    const { plain, zipped } = await bundle()
    const zip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
    c.header('Cache-Control', 'public, max-age=3600')
    c.header('Vary', 'Accept-Encoding')
    if (zip) c.header('Content-Encoding', 'gzip')
    return script(c, zip ? zipped : plain)
  })
  for (const api of ['service', 'control'] as const)
    app.get(`/docs/${api}.json`, shared, async (c) => {
      const operation = c.req.query('operation')
      const whole = await load[api]()
      const shown = operation === undefined ? whole : narrowTo(whole, operation)
      if (shown === undefined) throw notFound('operation', operation!)
      return c.json(shown)
    })

  /** What steers the sandbox is not embedded: another site's page could lure its reader into using it. */
  async function find(operation: string): Promise<Single | undefined> {
    const narrowed = narrowTo(await load.service(), operation)
    return narrowed && { operation, tag: narrowed.tags?.[0]?.name ?? 'Operation' }
  }

  async function unknownOperation(c: Context, operation: string) {
    const known = operationsOf((await load.service()).paths).map(
      (each) => each.operation.operationId as string,
    )
    const steers = narrowTo(await load.control(), operation) !== undefined
    return page(c, {
      title: 'No such operation',
      status: 404,
      style: sheetStyle,
      frameAncestors: frameAncestors(options.embedOrigins),
      body: html`<h1>No such operation</h1>
        <p>
          <code>${operation}</code>
          ${steers ? "is of the sandbox's own API, which is shown at /docs alone." : 'is not in the description.'}
          These can be embedded:
        </p>
        <p class="quiet">${known.join(', ')}</p>`,
    })
  }
}

async function loadDescription(api: Api): Promise<Part> {
  return annotate(JSON.parse(await readFile(files.description(api, 'json'), 'utf8')))
}

async function loadBundle() {
  const plain = await readFile(files.viewer)
  return { plain, zipped: await promisify(gzip)(plain) }
}

/** Loads at the first call, and again after a failure. */
function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined
  return () =>
    (kept ??= make().catch((error: unknown) => {
      kept = undefined
      throw error
    }))
}

function script(c: Context, body: string | Uint8Array<ArrayBuffer>) {
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(body, 200, { 'content-type': 'text/javascript; charset=utf-8' })
}

interface Single {
  readonly operation: string
  readonly tag: string
}

interface Shown {
  readonly embedded: boolean
  readonly single?: Single
}

async function viewerPage(c: Context, options: ViewerOptions, { embedded, single }: Shown) {
  const there = await access(files.viewer).then(
    () => true,
    () => false,
  )
  const { guide, embedOrigins } = options
  const { username, password } = guide
  const ancestors = embedded ? frameAncestors(embedOrigins) : "frame-ancestors 'none'"
  if (!there) return notInstalled(c, ancestors)
  const nonce = options.nonce()
  const sources = single
    ? [
        {
          title: single.operation,
          slug: single.operation,
          url: `/docs/service.json?operation=${encodeURIComponent(single.operation)}`,
        },
      ]
    : Object.entries(apis)
        .filter(([slug]) => !embedded || slug === 'service')
        .map(([slug, title]) => ({ title, slug, url: `/docs/${slug}.json` }))
  const settings = { embedded, single: single !== undefined, sources, credentials: { username, password } }
  const host = c.req.header('host') ?? new URL(c.req.url).host
  c.header('Content-Security-Policy', viewerPolicy(nonce, ancestors, embedded ? host : undefined))
  // The sandbox's own API refuses what an embedded page asks of it, by its referrer.
  c.header('Referrer-Policy', embedded ? 'same-origin' : 'no-referrer')
  c.header('X-Content-Type-Options', 'nosniff')
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta property="csp-nonce" content="${nonce}" />
          <title>${single?.operation ?? 'API reference · payments-sandbox'}</title>
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href="/docs/viewer.css" nonce="${nonce}" />
        </head>
        <body class="${embedded ? 'embedded' : ''} ${single ? 'single' : ''}">
          ${
            single
              ? html`<section class="unseen" aria-label="What this belongs to">
                  <h1>${apis.service}</h1>
                  <h2>${single.tag}</h2>
                </section>`
              : ''
          }
          <div id="app"></div>
          <script src="/docs/start.js" nonce="${nonce}" data-settings="${JSON.stringify(settings)}"></script>
        </body>
      </html>`,
  )
}

const notInstalled = (c: Context, ancestors: string) =>
  page(c, {
    frameAncestors: ancestors,
    title: 'The viewer is not installed',
    status: 503,
    style: sheetStyle,
    body: html`<h1>The viewer is not installed</h1>
      <p>Run <code>npm run viewer</code> once and load this page again.</p>
      <p>The description itself is at <a href="/openapi.json">/openapi.json</a>.</p>`,
  })
