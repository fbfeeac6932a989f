import type { AddressInfo } from 'node:net'
import { inProcess } from './client/in-process.ts'
import { createTransport, type Fetch, type Reach } from './client/transport.ts'
import type { NewWorld, Seed, WorldClient } from './client/types.ts'
import { createWorldClient, trafficPlayer } from './client/world-client.ts'
import { systemWall } from './lib/clock/clock.ts'
import { readConfig } from './config/config.ts'
import { requireLibraryOptions } from './config/library-options.ts'
import type { SandboxApp } from './http/sandbox-app.ts'
import { createLog, type LogLevel } from './lib/log/log.ts'
import type { Receiver } from './callbacks/receivers/receiver.ts'
import { createSandbox as createInnerSandbox } from './sandbox/sandbox.ts'
import { shown } from './lib/text/shown.ts'

export { connect, signUp, type SignUpOptions } from './client/connect.ts'
export { SandboxError, type Credentials, type RefusalBody } from './client/transport.ts'
export type * from './client/types.ts'
export type { Receiver } from './callbacks/receivers/receiver.ts'
export type { SandboxApp } from './http/sandbox-app.ts'

/**
 * Options of a sandbox. All are optional.
 * @example
 * ```ts
 * import { createSandbox, type SandboxOptions } from 'payments-sandbox'
 *
 * const options: SandboxOptions = { clock: 'frozen', random: 'build 7', env: { SANDBOX_SETTLE_AFTER: '1h' } }
 * const sandbox = await createSandbox(options)
 * await sandbox.close()
 * ```
 */
export interface SandboxOptions {
  /** The initial data of worlds: a seed, YAML, or the path of a file. By default the built-in seed. */
  readonly seed?: Seed | string
  /** Scenarios in addition to the shipped ones: a folder, a file or YAML. */
  readonly scenarios?: string
  /** With `frozen`, the clocks of all worlds only move when you advance them; `real` by default. */
  readonly clock?: 'frozen' | 'real'
  /** Seeds generated ids and data. */
  readonly random?: string
  /** Whether to serve the operations of the previous API generation; `off` by default. */
  readonly extensions?: 'on' | 'off'
  /**
   * Receivers of callbacks in this process, by origin. Signatures, faults, time-outs and retries work as over the network.
   * @example
   * ```ts
   * createSandbox({ receivers: { 'https://shop.test': app.fetch } })
   * ```
   */
  readonly receivers?: Readonly<Record<string, Receiver>>
  /** The lowest level of log lines on standard output; `silent` by default. */
  readonly logLevel?: LogLevel
  /** Settings by the names of their environment variables, such as `SANDBOX_SETTLE_AFTER`. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * A sandbox in this process.
 * @example
 * ```ts
 * import { createSandbox } from 'payments-sandbox'
 *
 * const sandbox = await createSandbox()
 * const url = await sandbox.listen()
 * const answer = await fetch(`${url}/livez`)
 * answer.status // => 200
 * await sandbox.close()
 * ```
 */
export interface Sandbox {
  /** The base URL of the sandbox. It changes when the sandbox starts to listen. */
  readonly url: string
  /**
   * Sends a request to the sandbox without a port, whatever the host of the URL. Redirects to other hosts are followed over the
   * network; `redirect: 'manual'` returns them.
   */
  readonly fetch: Fetch
  /**
   * The sandbox as a Hono application that you can mount in another. Its registry and types contain all operations.
   * @example
   * ```ts
   * const app = new Hono().route('/payments', sandbox.app)
   * const answer = await hc<typeof app>('http://localhost').payments.api.v2.payments.$post({ json })
   * const description = sandbox.app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'Payments', version: '2.0.0' } })
   * ```
   */
  readonly app: SandboxApp
  /** Opens a port, by default any free one, on `SANDBOX_HOST` (127.0.0.1). Resolves to the address. */
  listen(port?: number | { readonly port?: number | undefined }): Promise<string>
  /** Creates an isolated world with its own credentials and clock. */
  world(options?: NewWorld): Promise<WorldClient>
  /** The default world, `demo`. */
  readonly home: WorldClient
  /** Closes the sandbox. Rejects later requests, and running ones that do not end in time. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

trafficPlayer.play = async (world, plan) => (await import('./traffic/run.ts')).traffic(world, plan)

/** The base URL of a sandbox that does not listen. Errors of a `fetch` over the network contain it. */
const IN_PROCESS = 'http://call-sandbox-listen-first.invalid'

/**
 * Starts a sandbox in this process, without a port until you call `listen`.
 * @throws Error naming the invalid options
 * @example
 * ```ts
 * import { createSandbox } from 'payments-sandbox'
 *
 * const sandbox = await createSandbox({ clock: 'frozen' })
 * const world = await sandbox.world()
 * await world.scenario('payer-cancels')
 * // Here the code under test takes payments at `world.url` with `world.authorization`, through `sandbox.fetch`.
 * await world.settle()
 * await sandbox.close()
 * ```
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  requireLibraryOptions(options)
  const { scenarios, random, extensions, logLevel = 'silent', env = {}, receivers } = options
  const config = readConfig(
    {
      LOG_LEVEL: logLevel,
      PORT: '0',
      // The tested program runs in the same container.
      SANDBOX_IN_CONTAINER: 'off',
      ...(scenarios !== undefined && { SANDBOX_SCENARIOS: scenarios }),
      ...(random !== undefined && { SANDBOX_SEED: random }),
      ...(extensions !== undefined && { SANDBOX_EXTENSIONS: extensions }),
      // Empty variables must not replace these defaults.
      ...Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')),
    },
    options.seed !== undefined || Boolean(env['SANDBOX_SEED_FILE']),
  )
  const now = systemWall()
  const seed = await seedOf(options.seed)
  const inner = await createInnerSandbox({
    config,
    calendar: false,
    log: createLog({
      level: config.logLevel,
      write: (line) => process.stdout.write(line),
      terminal: false,
      now: systemWall,
    }),
    ...(seed && { seed }),
    ...(receivers && { receivers }),
    ...(options.clock === 'frozen' && { clock: { real_anchor: now, world_anchor: now, speed: 0 } }),
  })
  const credentials = seed?.api_keys[0] ?? { username: config.apiUsername, password: config.apiPassword }
  const app = (await inner.app()) as unknown as SandboxApp
  let url = IN_PROCESS
  const within = inProcess({ response: inner.fetch, url: () => url, elsewhere: (request) => fetch(request) })
  const reach: Reach = { send: within.fetch, leadsThere: () => true }
  const home = createWorldClient(
    createTransport(() => url, credentials, reach),
    reach,
  )
  let listening: Promise<string> | undefined
  let closing: Promise<void> | undefined
  const close = () => (closing ??= end())
  const end = () => {
    within.refuse()
    return inner.close().finally(within.end)
  }

  return {
    get url() {
      return url
    },
    fetch: within.fetch,
    app,
    async listen(given) {
      const port = typeof given === 'object' ? given.port : given
      if (closing) throw new Error('the sandbox is closed; create another with createSandbox()')
      if (listening) throw new Error(`the sandbox already listens at ${await listening}`)
      if (port !== undefined) requirePort(port)
      listening = inner.listen(port).then(addressOf)
      // After a failure, the caller may try another port.
      url = await listening.catch((error: NodeJS.ErrnoException & { readonly port?: number }) => {
        listening = undefined
        if (error.code === 'EADDRINUSE')
          error.message = `port ${error.port} is in use; pass another, or none for any free one`
        throw error
      })
      return url
    },
    world: (world) => home.world(world),
    home,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Node.js would use text as the path of a socket. */
function requirePort(port: unknown): void {
  if (typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= 65_535) return
  throw new TypeError(`listen: the port must be a whole number from 0 to 65535, got ${shown(port)}`)
}

/**
 * A world in a sandbox of this process, with a frozen clock.
 * @example
 * ```ts
 * import { sandbox, type TestSandbox } from 'payments-sandbox'
 *
 * const test: TestSandbox = await sandbox()
 * await test.world.pay()
 * await test.close()
 * ```
 */
export interface TestSandbox extends Pick<Sandbox, 'url' | 'fetch' | 'listen' | 'close'> {
  /** A new world. */
  readonly world: WorldClient
  readonly sandbox: Sandbox
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a sandbox in this process with a frozen clock, and creates a world.
 * @param options - As for `createSandbox`; with `clock: 'real'`, the clock runs.
 * @example
 * ```ts
 * import { sandbox } from 'payments-sandbox'
 *
 * const { world, close } = await sandbox()
 * const payment = await world.pay({ outcome: 'payer-cancels' })
 * await world.settle()
 * const callback = await world.callback(payment)
 * callback.body.status // => 'failed'
 * await close()
 * ```
 */
export async function sandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const made = await createSandbox({ clock: 'frozen', ...options })
  const { fetch, listen, close } = made
  return {
    world: await made.world(),
    sandbox: made,
    get url() {
      return made.url
    },
    fetch,
    listen,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function seedOf(given: SandboxOptions['seed']): Promise<Seed | undefined> {
  if (given === undefined) return undefined
  if (typeof given === 'string') {
    const { readSeed, readSeedFile } = await import('./worlds/read-seed.ts')
    return given.includes('\n') ? readSeed(given, 'seed') : readSeedFile(given)
  }
  const { readSeedValue } = await import('./worlds/read-seed.ts')
  return readSeedValue(given, 'seed')
}

function addressOf({ address, port, family }: AddressInfo): string {
  const host =
    address === '0.0.0.0' || address === '::' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}`
}
