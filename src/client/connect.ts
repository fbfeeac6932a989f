import { createTransport, type Credentials, type Reach, type Send } from './transport.ts'
import { createWorldClient, type WorldClient } from './world-client.ts'
import type { CreatedWorld } from '../generated/control/types.ts'

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

/** What to do about it, by why nothing answers. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start one there, or correct the address',
  ENOTFOUND: 'there is no such host; correct the address',
  EAI_AGAIN: 'there is no such host; correct the address',
  'bad port': 'HTTP clients refuse this port; give the sandbox another',
}

function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } }
  return cause?.code ?? cause?.message ?? ''
}

/** Requests to a sandbox that runs elsewhere. @throws TypeError where none answers, as fetch does */
export const overNetwork: Send = async (request) => {
  try {
    return await fetch(request)
  } catch (error) {
    const why = reasons[codeOf(error)]
    if (why === undefined) throw error
    const { origin } = new URL(request.url)
    throw new TypeError(`no sandbox answers at ${origin}: ${why}`, { cause: error })
  }
}

/**
 * How one signs up.
 * @example
 * ```ts
 * import { signUp, type SignUpOptions } from 'payments-sandbox'
 *
 * const workshop: SignUpOptions = { token: 'a-token-of-the-workshop', name: 'Duka checkout' }
 * const refused = await signUp('http://127.0.0.1:8080', workshop).catch((error: unknown) => error)
 * refused instanceof Error // => true
 * ```
 */
export interface SignUpOptions {
  /** Where the sandbox asks for one, of whoever runs it. */
  readonly token?: string
  /** What the world is called, for people. */
  readonly name?: string
}

/**
 * A world of one's own at a sandbox that lets strangers have one. Keep its `username` and `password`: nobody can ask for them again.
 * @param url such as `https://sandbox.example`
 * @throws SandboxError 404 where signing up is off, 401 for want of a token, 429 when there were too many
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
  const nobody = { username: '', password: '' }
  const { ask } = createTransport(base, nobody, { send: overNetwork, leadsThere: () => false })
  const { credentials } = await ask<CreatedWorld>('POST', '/sandbox/sign-up', {
    body: { ...(name !== undefined && { name }) },
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  })
  return connect(base, credentials)
}
