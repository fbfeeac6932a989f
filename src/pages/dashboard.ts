import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { readFile } from 'node:fs/promises'
import { files } from '../lib/files.ts'
import type { Env } from '../http/exchange.ts'
import { mountOf, originOf } from '../http/caller.ts'
import { asset, byName, readBuilt, types, unlessKnown, untilMade } from './asset.ts'
import { page, type PageOptions, sheetStyle } from './page.ts'
import { notFound } from '../service/domain/errors.ts'

/** Serves `/dashboard` and its files, which are read on first use. */
export function dashboardPages(app: Hono<Env>, options: PageOptions): void {
  const built = untilMade(async () => {
    const found = await readBuilt<Built>(files.dashboard)
    if (!found) throw new NotBuilt()
    return found
  })
  const assets = byName(fileAsset)

  app.get('/dashboard', async (c) => {
    try {
      return shell(c, options, await built())
    } catch (error) {
      if (error instanceof NotBuilt) return notBuilt(c)
      throw error
    }
  })
  app.get('/dashboard/:file', unlessKnown, async (c) => {
    const name = c.req.param('file')
    const { all } = await built()
    if (!all.includes(name)) throw notFound('file of the dashboard', name)
    return assets(name)(c)
  })
}

/** File names contain a hash of their content, so clients can cache them forever. */
const fileAsset = (name: string) =>
  asset({
    type: types[name.split('.').at(-1) as 'js' | 'css'],
    make: () => readFile(new URL(name, files.dashboard)),
    cache: 'public, max-age=31536000, immutable',
  })

class NotBuilt extends Error {}

/**
 * Restricts the dashboard to its own files and forbids markup from text. No page may frame it, since a click
 * can change a world.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

function shell(c: Context, { guide, isHosted }: PageOptions, { script, beside, style }: Built) {
  const at = mountOf(c)
  const { username, password, passwordFrom, collector } = guide
  const settings = {
    at,
    origin: originOf(c),
    username,
    password,
    passwordFrom,
    isHosted,
    collector: collector && { id: collector.id, name: collector.name },
  }
  c.header('Content-Security-Policy', POLICY)
  c.header('Referrer-Policy', 'no-referrer')
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Cache-Control', 'no-store')
  // Lets the browser load these modules in parallel with the script.
  if (beside.length > 0)
    c.header('Link', beside.map((name) => `<${at}/dashboard/${name}>; rel=modulepreload`).join(', '))
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>Dashboard · payments-sandbox</title>
          <link rel="icon" href="${at}/favicon.ico" />
          <link rel="stylesheet" href="${at}/dashboard/${style}" />
          <script type="module" src="${at}/dashboard/${script}"></script>
        </head>
        <body>
          <div id="app" data-settings="${JSON.stringify(settings)}"></div>
          <noscript><p>The dashboard needs JavaScript. The same is available at ${at}/sandbox.</p></noscript>
        </body>
      </html>`,
  )
}

const notBuilt = (c: Context) =>
  page(c, {
    title: 'The dashboard is not built',
    status: 503,
    style: sheetStyle,
    body: html`<h1>The dashboard is not built</h1>
      <p>
        Run <code>npm start</code> to build and serve it, or <code>npm run build</code> to only build it.
      </p>`,
  })

/** The built files in `files.dashboard`. Their names contain a hash of their content. */
export interface Built {
  readonly script: string
  /** Modules that the script imports. */
  readonly beside: readonly string[]
  readonly style: string
  /** All files, including chunks loaded on demand. */
  readonly all: readonly string[]
}
