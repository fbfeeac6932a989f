import { afterAll } from 'vitest'
import type { OutgoingCallback, SendResult } from '../../src/callbacks/send.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { type Parts, type Sandbox, createSandbox } from '../../src/sandbox/sandbox.ts'
import type { World } from '../../src/worlds/world.ts'
import { checkAnswer, checkCallback, checkPlainAnswer } from './contract.ts'
import { testEngine } from './engine.ts'

/** When every test world begins: a Saturday noon, UTC. */
export const NOON = Date.parse('2026-06-13T12:00:00Z')

/** The environment of a sandbox for strangers. */
export const hosted = {
  SANDBOX_MODE: 'hosted',
  SANDBOX_API_PASSWORD: 'a password of its own',
  SANDBOX_ADMIN_TOKEN: 'a token of its own for /__admin',
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the client sees
  readonly body: any
}

/** Those that serve the older generation too. */
const servingAll = new WeakSet<Sandbox>()

/** A callback as its receiver got it. */
export interface Received {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Readonly<Record<string, unknown>>
  /** The bytes, as text. */
  readonly text: string
}

/**
 * A sandbox with its clocks standing still, whose callbacks arrive in a list. Every answer and every callback is
 * held against the description. Closed after the file's tests.
 * @param env settings, as environment variables
 * @param parts what is to be other than in every test
 */
export async function startSandbox(env: Record<string, string> = {}, parts: Partial<Parts> = {}) {
  const received: Received[] = []
  const pauses: number[] = []
  const answerOf: { next: (outgoing: OutgoingCallback) => SendResult } = {
    next: () => ({ status: 200, error: '' }),
  }
  const silent = createLog({ level: 'silent', write: () => {}, terminal: false, now: () => NOON })
  const engine = parts.engine ?? (await testEngine(env, 'given', parts.log ?? silent))
  const config = readConfig(
    { SANDBOX_RATE_LIMIT: '', LOG_LEVEL: 'silent', SANDBOX_IN_CONTAINER: 'off', ...env },
    parts.seed !== undefined || Boolean(env['SANDBOX_SEED_FILE']),
  )
  const sandbox = await createSandbox({
    config,
    log: silent,
    wall: () => NOON,
    clock: { real_anchor: NOON, world_anchor: NOON, speed: 0 },
    async send(outgoing) {
      const body = JSON.parse(outgoing.body)
      if ('challenge' in body) return { status: 200, error: '', body: body.challenge as string }
      checkCallback(body)
      received.push({ url: outgoing.url, headers: outgoing.headers, body, text: outgoing.body })
      return answerOf.next(outgoing)
    },
    async pause(ms) {
      pauses.push(ms)
    },
    ...parts,
    ...(engine && { engine }),
  })
  if (config.extensions === 'on') servingAll.add(sandbox)
  afterAll(async () => {
    await sandbox.close()
    if (!parts.engine) await engine?.close()
  })
  let made = 0
  return {
    sandbox,
    /** A world of its own, with the default seed. */
    world: () => testWorld(sandbox, `t${++made}`, received, config.apiPassword),
    received,
    /** How long answers were held back, milliseconds each. */
    pauses,
    answerOf,
  }
}

export type TestWorld = Awaited<ReturnType<typeof startSandbox>>['world'] extends () => infer W ? W : never

function testWorld(sandbox: Sandbox, suffix: string, received: Received[], password: string) {
  const url = `http://receiver.test/${suffix}`
  const world = (): World => {
    const found = sandbox.worlds.get(`demo+${suffix}`)
    if (!found) throw new Error('make a request in this world first')
    return found
  }
  return {
    ...client(sandbox, `demo+${suffix}`, password),
    /** The same world seen by the user who may only read. */
    viewer: client(sandbox, `viewer+${suffix}`, 'viewer', () =>
      sandbox.worlds.authenticate(`demo+${suffix}`, password),
    ),
    callback_url: url,
    /** What arrived at this world's `callback_url`. */
    callbacks: () => received.filter((each) => each.url.startsWith(url)),
    settle: () => sandbox.scheduler.settle(world()),
    /** Moves the world's clock on by so many milliseconds. */
    advance: (ms: number) => sandbox.scheduler.advance(world(), world().clock.now() + ms),
    world,
  }
}

/**
 * Requests with Basic credentials; a body that is not text is sent as JSON.
 * @param before done in front of each
 */
export function client(
  sandbox: Sandbox,
  username: string,
  password: string,
  before: () => Promise<unknown> = async () => {},
) {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const request =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      before().then(() => call(sandbox, method, path, body, { authorization, ...headers }))
  return {
    get: request('GET'),
    post: request('POST'),
    put: request('PUT'),
    patch: request('PATCH'),
    delete: request('DELETE'),
  }
}

export async function call(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await sandbox.fetch(
    new Request(`http://sandbox.test${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  const parsed = text === '' ? undefined : isJson ? JSON.parse(text) : text
  const check = servingAll.has(sandbox) ? checkAnswer : checkPlainAnswer
  check({ method, path: path.split('?')[0]! }, response.status, response.headers, parsed)
  return { status: response.status, headers: response.headers, body: parsed }
}

/** The service's error body for a refusal. */
export const refused = (status: number, error_code: string, message: string | RegExp) => ({
  status,
  body: {
    error_code,
    error_message: typeof message === 'string' ? message : matching(message),
    status_code: status,
  },
})

const matching = (pattern: RegExp) => ({
  asymmetricMatch: (text: unknown) => typeof text === 'string' && pattern.test(text),
  toString: () => `matching ${pattern}`,
})
