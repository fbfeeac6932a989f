import type { CreatedWorld } from '../generated/control/types.ts'
import { connect } from './connect.ts'
import { overNetwork } from './over-network.ts'
import { createTransport } from './transport.ts'
import type { WorldClient } from './types.ts'

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
