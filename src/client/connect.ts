import { overNetwork } from './over-network.ts'
import { createTransport, type Credentials, type Reach } from './transport.ts'
import type { WorldClient } from './types.ts'
import { createWorldClient } from './world-client.ts'

/**
 * The client of a world of a sandbox that runs elsewhere.
 * @param url such as `http://127.0.0.1:8080`
 * @param credentials the default world's when left out
 * @throws TypeError for what is no address, and for credentials without a name or a password
 * @example
 * ```ts
 * import { connect } from 'payments-sandbox'
 *
 * const world = await connect('http://127.0.0.1:8080').world()
 * await world.clock.advance('72h')
 * await world.delete()
 * ```
 */
export function connect(
  url: string,
  credentials: Credentials = { username: 'demo', password: 'demo' },
): WorldClient {
  const { href, origin } = addressOf(url)
  requireCredentials(credentials)
  const base = href.replace(/\/+$/, '')
  const reach: Reach = { send: overNetwork, leadsThere: (address) => address.origin === origin }
  return createWorldClient(createTransport(base, credentials, reach), reach)
}

/** What else there is beside them may be anything. @throws TypeError that does not show them */
function requireCredentials(given: Partial<Credentials>): void {
  for (const part of ['username', 'password'] as const)
    if (typeof given[part] !== 'string')
      throw new TypeError(
        `connect: the credentials must have username and password as text; there is no ${part} among ${Object.keys(given).join(', ') || 'none'}`,
      )
}

/** @throws TypeError for what is no address of a sandbox */
function addressOf(given: string): URL {
  const address = urlOf(given)
  if (!address)
    throw new TypeError(
      `connect: the address must be one such as http://127.0.0.1:8080, got ${JSON.stringify(given) ?? 'nothing'}`,
    )
  // It is not shown: there is a password in it.
  if (address.username !== '' || address.password !== '')
    throw new TypeError('connect: the address has credentials; give them as { username, password } after it')
  return address
}

function urlOf(text: string): URL | undefined {
  try {
    const url = new URL(text)
    return /^https?:$/.test(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}
