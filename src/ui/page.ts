import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { html, raw } from 'hono/html'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 90vh; margin: 0; }
main { width: min(24rem, 90vw); }
h1 { font-size: 2.25rem; margin: 0; letter-spacing: -0.02em; }
button { font: inherit; padding: 0.6rem 1.4rem; border-radius: 0.5rem; border: 1px solid #0a6e4f; background: #0a6e4f; color: #fff; cursor: pointer; }
button.quiet { background: transparent; color: inherit; border-color: currentColor; }
p.quiet { opacity: 0.7; font-size: 0.875rem; }
`
const styleHash = createHash('sha256').update(style).digest('base64')

export interface Page {
  readonly title: string
  readonly body: unknown
  /** An origin beside our own to which a form may lead. */
  readonly formTarget?: string | undefined
}

/** A page that loads nothing from anywhere, under a policy that lets it. */
export function page(c: Context, { title, body, formTarget = '' }: Page) {
  c.header(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self' ${formTarget}; base-uri 'none'; frame-ancestors 'none'`,
  )
  c.header('Referrer-Policy', 'no-referrer')
  c.header('X-Content-Type-Options', 'nosniff')
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${title}</title>
          ${raw(`<style>${style}</style>`)}
        </head>
        <body>
          <main>${body}</main>
        </body>
      </html>`,
  )
}
