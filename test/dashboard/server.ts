import { connect } from '../../src/client/connect.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'

/** Answers of a receiver that never stands. */
const down = 'http://127.0.0.1:9/callback'

/** A sandbox over the network, whose callbacks to other addresses than its own fail. @param env settings, such as a port to come back to */
export async function startSandbox(env: Record<string, string> = {}) {
  const sandbox = await createSandbox({
    config: readConfig({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', ...env }),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => 0 }),
  })
  const { port } = await sandbox.listen()
  const origin = `http://127.0.0.1:${port}`
  let worlds = 0
  return {
    origin,
    port,
    /** Who plays in a world that nobody has used yet. */
    fresh: () => playerOf(origin, `demo+w${++worlds}`),
    close: () => sandbox.close(),
  }
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** A world of its own over the network, and payments in it. */
export function playerOf(origin: string, username: string, password = 'demo') {
  const world = connect(origin, { username, password })
  return {
    world,
    /** Sends a collection. @returns its status */
    async pay(external_reference: string, change: object = {}, headers: Record<string, string> = {}) {
      const answer = await world.fetch('/api/v2/payments', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({
          account_id: 63,
          amount: 250,
          phone_number: '0712345678',
          provider: 'm-pesa',
          network_code: '63902',
          external_reference,
          ...change,
        }),
      })
      return answer.status
    },
    /** One of everything: a success with its callback, a failure, a receiver that is down, requests that are refused. */
    async fill() {
      const callback_url = await world.inbox.url()
      await this.pay('order-1', { callback_url })
      await this.pay('order-2', { callback_url, phone_number: '0700000002' })
      await this.pay('order-3', { callback_url: down })
      await this.pay('order-4', { amount: 'ten' })
      await world.fetch('/api/v2/nowhere')
      await world.clock.advance('10s')
    },
  }
}

export type Player = ReturnType<typeof playerOf>
