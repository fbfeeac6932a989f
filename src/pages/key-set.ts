import type { Hono } from 'hono'
import type { Env } from '../http/exchange.ts'
import { KEY_SET_PATH, type ReportKey } from '../callbacks/signatures/report-key.ts'
import { asset, unlessKnown } from './asset.ts'

/** The key that reports are signed with, for whoever verifies one: no secret, and the same for everybody. */
export function keySet(app: Hono<Env>, key: ReportKey | undefined): void {
  const answer = asset({
    type: 'application/jwk-set+json',
    make: async () => `${JSON.stringify({ keys: key?.jwks() ?? [] })}\n`,
    cache: 'public, max-age=300',
    headers: { 'access-control-allow-origin': '*' },
  })
  app.get(KEY_SET_PATH, unlessKnown, answer)
}
