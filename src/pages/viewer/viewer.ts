import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { browserFile, type Described, descriptionJson, files } from '../../lib/files.ts'
import { isForeign } from '../../http/admin-guard.ts'
import { requireNamedOrigin } from '../../http/cross-origin.ts'
import type { Dependencies } from '../../http/dependencies.ts'
import type { Env } from '../../http/exchange.ts'
import { elsewhereOf, mountOf } from '../../http/caller.ts'
import { addressedAsset, asset, type Asset, byName, types, unlessKnown, untilMade } from '../asset.ts'
import { embedPages } from '../embed/pages.ts'
import { apisOf, page, type PageOptions, sheetStyle } from '../page.ts'
import { tokens } from '../tokens.ts'
import { annotate, narrowTo, operationIdsOf, type Part } from './description.ts'
import { describedHere, receiverHere } from './for-this-sandbox.ts'
import { frameAncestors, READERS, shareWith, viewerPolicy } from './policy.ts'
import { notFound } from '../../service/domain/errors.ts'

const apis = {
  service: 'Payments and Teams',
  control: 'Sandbox control',
  extensions: 'Previous API generation',
} as const

/** Serves `/docs` and the files it loads, which are read on first use. */
export function viewerPages(app: Hono<Env>, options: PageOptions, serving: Dependencies): void {
  const { readers } = serving.guests.rules
  const loading = byName((api) => untilMade(() => loadDescription(api as Described, options)))
  const shared = shareWith(options.embedOrigins)

  app.get('/docs', (c) => viewerPage(c, options, { embedded: false, readers }))
  app.get('/docs/embed', async (c) => {
    const operation = c.req.query('operation')
    if (operation === undefined) return viewerPage(c, options, { embedded: true, readers })
    const single = await find(operation)
    if (!single) return unknownOperation(c, operation)
    return viewerPage(c, options, { embedded: true, readers, single })
  })
  embedPages(app, options, serving)
  const assets: Readonly<Record<string, Asset>> = {
    'start.js': { type: types.js, make: async () => browserFile('viewer.js') },
    'viewer.css': { type: types.css, make: async () => viewerStyle() },
    'scalar.js': { ...viewerFile, type: types.js, cache: 'public, max-age=3600' },
  }
  for (const [name, each] of Object.entries(assets)) app.get(`/docs/${name}`, unlessKnown, asset(each))
  if (readers) readersDoor(app, serving)
  for (const api of apisOf(options))
    app.get(`/docs/${api}.json`, shared, unlessKnown, shownDescription(loading(api)))

  /** The control API cannot be embedded, since another site could trick its reader into using it. */
  async function find(operation: string): Promise<Single | undefined> {
    const narrowed = narrowTo(await loading('service')(), operation)
    return narrowed && { operation, tag: narrowed.tags?.[0]?.name ?? 'Operation' }
  }

  async function unknownOperation(c: Context, operation: string) {
    const known = operationIdsOf(await loading('service')())
    const steers = operationIdsOf(await loading('control')()).includes(operation)
    return page(c, {
      title: 'No such operation',
      status: 404,
      style: sheetStyle,
      frameAncestors: frameAncestors(options.embedOrigins),
      body: html`<h1>No such operation</h1>
        <p>
          <code>${operation}</code>
          ${steers ? 'belongs to the control API, which is only shown at /docs.' : 'does not exist.'} These
          can be embedded:
        </p>
        <p class="quiet">${known.join(', ')}</p>`,
    })
  }
}

/**
 * Returns credentials of a new world to a reader's page. Pages of other sites need permission by a setting.
 */
function readersDoor(app: Hono<Env>, { guests, countedAs, corsOrigins }: Dependencies): void {
  app.post(READERS, async (c) => {
    if (isForeign(c)) requireNamedOrigin(c, corsOrigins, true)
    const { api_keys } = await guests.make('reader', { address: countedAs(c) })
    c.header('Cache-Control', 'no-store')
    const { username, password } = api_keys[0]!
    return c.json({ username, password }, 201)
  })
}

/** The viewer's own rules are in layers, so these rules override them. */
export const viewerStyle = () => tokens + browserFile('viewer.css')

async function loadDescription(api: Described, { guide, extensions }: PageOptions): Promise<Part> {
  const { webhooks, ...description } = JSON.parse(await descriptionJson(api)) as Part
  // The viewer shows each callback with its operation.
  if (webhooks) description.tags = description.tags.filter(({ name }: Part) => name !== 'Callbacks')
  return withWayToOther(api, describedHere(annotate(description), guide), extensions)
}

function shownDescription(load: () => Promise<Part>) {
  const whole = descriptionAsset(load)
  const narrowed = byName((operation) => descriptionAsset(async () => narrowTo(await load(), operation)))
  return async (c: Context): Promise<Response> => {
    const operation = c.req.query('operation')
    if (operation === undefined) return whole(c)
    if (!operationIdsOf(await load()).includes(operation)) throw notFound('operation', operation)
    return narrowed(operation)(c)
  }
}

const descriptionAsset = (load: () => Promise<Part>) =>
  addressedAsset({
    type: 'application/json',
    make: async ({ origin }) => receiverHere(JSON.stringify(await load()), origin),
  })

interface Single {
  readonly operation: string
  readonly tag: string
}

interface Shown {
  readonly embedded: boolean
  /** Whether the page may request a world for its reader. */
  readonly readers: boolean
  readonly single?: Single
}

async function viewerPage(c: Context, options: PageOptions, { embedded, readers, single }: Shown) {
  const { guide, embedOrigins } = options
  const { username, password } = guide
  const ancestors = embedded ? frameAncestors(embedOrigins) : "frame-ancestors 'none'"
  if (!hasViewer()) return notInstalled(c, ancestors)
  const nonce = options.nonce()
  const at = mountOf(c)
  const sources = single
    ? [
        {
          title: single.operation,
          slug: single.operation,
          url: `${at}/docs/service.json?operation=${encodeURIComponent(single.operation)}`,
        },
      ]
    : apisOf(options)
        .filter((slug) => !embedded || slug === 'service')
        .map((slug) => ({ title: apis[slug], slug, url: `${at}/docs/${slug}.json` }))
  const settings = {
    embedded,
    single: single !== undefined,
    sources,
    server: elsewhereOf(c),
    credentials: { username, password },
    ...(password === undefined && readers && { reader: `${at}${READERS}` }),
  }
  const host = elsewhereOf(c)?.replace(/^https?:\/\//, '') ?? c.req.header('host') ?? new URL(c.req.url).host
  c.header('Content-Security-Policy', viewerPolicy(nonce, ancestors, embedded ? host : undefined, readers))
  // The control API rejects requests of embedded pages by their referrer.
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
          <link
            rel="alternate"
            type="text/markdown"
            href="${at}${single ? `/docs/operations/${single.operation}.md` : '/llms.txt'}"
          />
          <link rel="stylesheet" href="${at}/docs/viewer.css" nonce="${nonce}" />
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
          <script
            src="${at}/docs/start.js"
            nonce="${nonce}"
            data-settings="${JSON.stringify(settings)}"
          ></script>
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

// Relative addresses work below any path. They differ in more than the fragment, because the viewer ignores
// changes of the fragment.
const ways = {
  service: 'The API that controls the sandbox has its own: [Sandbox control](?reference=control#control).',
  control: 'The operations of the service have their own: [Payments and Teams](?reference=service#service).',
  extensions:
    'The operations of the specification have their own: [Payments and Teams](?reference=service#service).',
} as const

/** The link from the service's reference to the legacy endpoints. */
const TO_OLDER = ' So do the endpoints of the [previous API generation](?reference=extensions#extensions).'

/**
 * Adds links to the HTTP file and to the other references, which the viewer's search does not cover. @param
 * extensions - whether the legacy endpoints are served
 */
export function withWayToOther(api: keyof typeof ways, description: Part, extensions = false): Part {
  const { info } = description
  const older = extensions && api === 'service' ? TO_OLDER : ''
  const way = `<span class="other-reference">The search covers this reference. ${ways[api]}${older}</span>`
  const requests = `<span class="editor-requests">[Requests for your editor](docs/collections/${api}.http)</span>`
  const told = `${way}\n\n${requests}\n\n${info.description}`
  return { ...description, info: { ...info, description: told } }
}

/** The viewer's bundle: from the downloaded file in a clone, compressed in the package. */
const viewerFile: Pick<Asset, 'make' | 'brotli'> = {
  make: async () =>
    isFetched() ? readFile(files.viewer) : promisify(brotliDecompress)(await readFile(files.viewerBrotli)),
  brotli: async () => (isFetched() ? undefined : readFile(files.viewerBrotli)),
}

const hasViewer = (): boolean => isFetched() || existsSync(files.viewerBrotli)

const isFetched = () => existsSync(files.viewer)
