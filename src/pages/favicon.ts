import type { Hono } from 'hono'
import type { Env } from '../http/exchange.ts'
import { palette } from '../lib/palette.ts'

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${palette.accent[0]}"/><path d="M8 11h14l-4-4m6 14H10l4 4" fill="none" stroke="${palette['on-accent'][0]}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** Browsers ask for it beside every page. */
export function favicon(app: Hono<Env>): void {
  app.get('/favicon.ico', (c) =>
    c.body(ICON, 200, {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'public, max-age=604800',
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
    }),
  )
}
