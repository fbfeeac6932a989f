import { overNetwork } from './over-network.ts'
import { createTransport, type Credentials, type Reach } from './transport.ts'
import type { WorldClient } from './types.ts'
import { createWorldClient } from './world-client.ts'

/**
 * The client of a world of a sandbox that runs elsewhere.
 * @param url such as `http://127.0.0.1:8080`
 * @param credentials the default world's when left out
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
  const base = new URL(url).href.replace(/\/+$/, '')
  const { origin } = new URL(base)
  const reach: Reach = { send: overNetwork, leadsThere: (address) => address.origin === origin }
  return createWorldClient(createTransport(base, credentials, reach), reach)
}
