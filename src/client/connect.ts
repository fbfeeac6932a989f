import { createTransport, type Credentials, type Reach, type Send } from './transport.ts'
import { createWorldClient, type WorldClient } from './world-client.ts'
import type { CreatedWorld } from '../generated/control/types.ts'

/**
 * Returns the client of a world in a sandbox that runs elsewhere.
 * @param url - Such as `http://127.0.0.1:8080`.
 * @param credentials - An API key; by default the one of the default world.
 * @throws {TypeError} If the URL or the credentials are malformed.
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
  let checked: Promise<void> | undefined
  const reach: Reach = {
    async send(request) {
      await (checked ??= requireSandbox(base))
      return overNetwork(request)
    },
    leadsThere: (address) => address.origin === origin,
  }
  return createWorldClient(createTransport(base, credentials, reach), reach)
}

/** @throws {TypeError} If another program responds at the address. */
async function requireSandbox(url: string): Promise<void> {
  const problem = await foreignAnswer(url)
  if (problem !== undefined) throw new TypeError(problem)
}

/** The name in `/__admin/version`. */
const NAME = 'payments-sandbox'

/**
 * Describes the response of another program at the address, which would receive payments, and whose JSON would be taken for
 * that of a sandbox. Resolves to undefined for a sandbox, and if there is no response.
 */
export async function foreignAnswer(
  url: string,
  headers: Record<string, string> = {},
): Promise<string | undefined> {
  const response = await fetch(`${url}/__admin/version`, { headers }).catch(() => {})
  // A proxy may hide the administration.
  if (!response?.ok) return undefined
  const type = response.headers.get('content-type') ?? 'no content type'
  if (!type.includes('json'))
    return `${url} responds with ${response.status} and ${type.replace(/;.*/, '')}: is it a sandbox?`
  const version = (await response.json().catch(() => null)) as { readonly name?: unknown } | null
  return version?.name === NAME ? undefined : `${url} responds like another program: is it a sandbox?`
}

/** @throws {TypeError} Without the values, which may be secret. */
function requireCredentials(given: Partial<Credentials>): void {
  for (const part of ['username', 'password'] as const)
    if (typeof given[part] !== 'string')
      throw new TypeError(
        `connect: the credentials must have username and password as text; there is no ${part} among ${Object.keys(given).join(', ') || 'none'}`,
      )
}

function addressOf(given: string): URL {
  const address = URL.parse(given)
  if (!address || !/^https?:$/.test(address.protocol))
    throw new TypeError(
      `connect: the address must be one such as http://127.0.0.1:8080, got ${JSON.stringify(given) ?? 'nothing'}`,
    )
  // The message omits the address because it contains a password.
  if (address.username !== '' || address.password !== '')
    throw new TypeError(
      'connect: the address contains credentials; pass { username, password } as the second argument instead',
    )
  return address
}

/** Advice for each cause of a failed connection. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start one there, or correct the address',
  ENOTFOUND: 'there is no such host; correct the address',
  EAI_AGAIN: 'there is no such host; correct the address',
  'bad port': 'HTTP clients refuse this port; give the sandbox another',
}

/** Sends a request over the network. @throws {TypeError} If no sandbox answers, as `fetch` does. */
export const overNetwork: Send = async (request) => {
  try {
    return await fetch(request)
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } }
    const remedy = remedies[cause?.code ?? cause?.message ?? '']
    if (remedy === undefined) throw error
    throw new TypeError(`no sandbox answers at ${new URL(request.url).origin}: ${remedy}`, { cause: error })
  }
}

/**
 * Options of `signUp`.
 * @example
 * ```ts
 * import { signUp, type SignUpOptions } from 'payments-sandbox'
 *
 * const workshop: SignUpOptions = { token: 'a-token-of-the-workshop', name: 'Duka checkout' }
 * const rejected = await signUp('http://127.0.0.1:8080', workshop).catch((error: unknown) => error)
 * rejected instanceof Error // => true
 * ```
 */
export interface SignUpOptions {
  /** The token from the sandbox's operator, if it requires one. */
  readonly token?: string
  /** The display name of the world. */
  readonly name?: string
}

/**
 * Creates a world at a sandbox with public sign-up. Store its `username` and `password`: they cannot be retrieved later.
 * @param url - Such as `https://sandbox.example`.
 * @throws {SandboxError} 404 if sign-up is off, 401 without a valid token, 429 after too many sign-ups.
 * @example
 * ```ts
 * import { createSandbox, signUp } from 'payments-sandbox'
 *
 * const sandbox = await createSandbox({ env: { SANDBOX_SIGN_UP: 'open' } })
 * const world = await signUp(await sandbox.listen(), { name: 'Duka checkout' })
 * const { name } = await world.show()
 * name // => 'Duka checkout'
 * await sandbox.close()
 * ```
 */
export async function signUp(url: string, { token, name }: SignUpOptions = {}): Promise<WorldClient> {
  const base = new URL(url).href.replace(/\/+$/, '')
  const anonymous = { username: '', password: '' }
  const { ask } = createTransport(base, anonymous, { send: overNetwork, leadsThere: () => false })
  const { credentials } = await ask<CreatedWorld>('POST', '/sandbox/sign-up', {
    body: { name },
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  })
  return connect(base, credentials)
}
