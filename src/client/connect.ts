import { createTransport, type Credentials, type Fetch } from './transport.ts'
import type { WorldClient } from './types.ts'
import { createWorldClient } from './world-client.ts'

const overNetwork: Fetch = (request) => fetch(request)

/**
 * The client of a world of a sandbox that runs elsewhere.
 * @param url such as `http://127.0.0.1:8080`
 * @param credentials the default world's when left out
 */
export function connect(
  url: string,
  credentials: Credentials = { username: 'demo', password: 'demo' },
): WorldClient {
  const base = new URL(url).href.replace(/\/+$/, '')
  return createWorldClient(createTransport(base, credentials, overNetwork), overNetwork)
}
