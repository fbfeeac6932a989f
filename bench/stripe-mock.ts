import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Request } from './load.ts'
import type { Command } from './processes.ts'
import { here } from './settings.ts'

const MODULE = 'github.com/stripe/stripe-mock@v0.203.0'

const authorization = 'Bearer sk_test_123'
const path = '/v1/charges/ch_123'

/** The closest equivalent of our requests: validated against Stripe's description, with its examples as responses. */
export const stripeRequests = {
  createCollection: {
    method: 'POST',
    path: '/v1/payment_intents',
    authorization,
    form: 'amount=200&currency=kes&payment_method=pm_card_visa&confirm=true',
  },
  getAccount: { method: 'GET', path, authorization },
} satisfies Record<string, Request>

/** Installs Stripe's mock of its API with Go. Prints a line and resolves to undefined if that fails. */
export function stripeMock(): Command | undefined {
  const folder = join(here, 'node_modules/.go')
  const program = join(folder, 'stripe-mock')
  if (!existsSync(program)) {
    console.log('Installing stripe-mock into bench/node_modules …')
    try {
      execFileSync('go', ['install', MODULE], { env: { ...process.env, GOBIN: folder }, stdio: 'ignore' })
    } catch {
      console.log('stripe-mock cannot be installed (no Go, or no network); its rows are left out.')
      return undefined
    }
  }
  return {
    program,
    args: ['-http-addr', '127.0.0.1:{port}'],
    env: { PORT: '' },
    probe: { path, authorization },
  }
}
