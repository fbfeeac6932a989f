import type { commonErrors } from '../src/pages/viewer/description.ts'
import { type ExampleSandbox, withSandbox } from './example-sandbox.ts'

/** A request that leads to an error response shared by all operations. */
interface SharedRefusal {
  readonly summary: string
  readonly status: number
  readonly env?: Readonly<Record<string, string>>
  readonly ask: (sandbox: ExampleSandbox) => Promise<{ readonly status: number; readonly body: unknown }>
}

const payment = {
  amount: 1000,
  phone_number: '254712345678',
  provider: 'm-pesa',
  network_code: '63902',
}

const pay =
  (headers: Readonly<Record<string, string>>, as: 'owner' | 'nobody' = 'owner') =>
  ({ ask }: ExampleSandbox) =>
    ask({ method: 'post', path: '/api/v2/payments', body: payment, headers, as })

const askAdmin =
  (headers: Readonly<Record<string, string>>) =>
  ({ ask }: ExampleSandbox) =>
    ask({ method: 'get', path: '/__admin/health', headers, as: 'nobody' })

const refusals: Readonly<Record<(typeof commonErrors)[number], SharedRefusal>> = {
  Unauthenticated: { summary: 'No credentials', status: 401, ask: pay({}, 'nobody') },
  PayloadTooLarge: {
    summary: 'A body that is too large',
    status: 413,
    ask: pay({ 'content-length': String(2 << 20) }),
  },
  ResourceExhausted: {
    summary: 'Too many requests',
    status: 429,
    env: { SANDBOX_RATE_LIMIT: '1' },
    async ask(sandbox) {
      await pay({})(sandbox)
      return pay({})(sandbox)
    },
  },
  TooMany: {
    summary: 'Too many worlds',
    status: 429,
    env: { SANDBOX_MAX_WORLDS: '1' },
    ask: ({ ask }) => ask({ method: 'post', path: '/sandbox/worlds', as: 'owner' }),
  },
  Internal: {
    summary: 'A fault of the sandbox',
    status: 500,
    async ask(sandbox) {
      await sandbox.ask({ method: 'get', path: '/sandbox/clock', as: 'owner' })
      const world = sandbox.sandbox.worlds.get('demo')!
      world.change = () => {
        throw new Error('made to fail')
      }
      return pay({})(sandbox)
    },
  },
  BadGateway: {
    summary: 'The provider is down',
    status: 502,
    ask: pay({ 'x-sandbox-scenario': 'provider-down' }),
  },
  Unavailable: { summary: 'Asked for by Prefer', status: 503, ask: pay({ prefer: 'code=503' }) },
  DeadlineExceeded: { summary: 'Asked for by Prefer', status: 504, ask: pay({ prefer: 'code=504' }) },
  AdminUnauthenticated: {
    summary: 'No token',
    status: 401,
    env: {
      SANDBOX_MODE: 'hosted',
      SANDBOX_API_PASSWORD: 'a password of its own',
      SANDBOX_ADMIN_TOKEN: 'a token of its own for /__admin',
    },
    ask: askAdmin({}),
  },
  NotAdmin: {
    summary: 'A page of another origin',
    status: 403,
    ask: askAdmin({ origin: 'https://shop.example' }),
  },
}

export const sharedRefusals: Readonly<Record<string, SharedRefusal>> = refusals

/** @throws {Error} If the response has another status */
export async function trySharedRefusal(name: string): Promise<unknown> {
  const { env = {}, status, ask } = sharedRefusals[name]!
  const answer = await withSandbox(env, ask)
  if (answer.status !== status)
    throw new Error(`${name}: answered ${answer.status} and not ${status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
