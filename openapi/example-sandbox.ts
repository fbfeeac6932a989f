import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { readConfig } from '../src/config/config.ts'
import { pause } from '../src/lib/clock/clock.ts'
import { createLog } from '../src/lib/log/log.ts'
import { createSandbox, type Sandbox } from '../src/sandbox/sandbox.ts'
import type { Caller, Step } from './example-source.ts'

/** The time of every example. */
const WHEN = Date.parse('2026-06-30T00:44:53Z')
export const ORIGIN = 'http://127.0.0.1:8080'

const credentials: Readonly<Record<Caller, string | undefined>> = {
  owner: 'demo:demo',
  viewer: 'viewer:viewer',
  nobody: undefined,
}

interface Asking {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly text?: string | undefined
  readonly type?: string | undefined
  readonly as: Caller
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON, or the text. */
  readonly body: unknown
}

export interface ExampleSandbox {
  readonly sandbox: Sandbox
  ask(asking: Asking): Promise<Answered>
  /** The bodies of the callbacks that have been sent. */
  readonly callbacks: readonly unknown[]
}

/** Runs `work` with a sandbox that has a frozen clock, a fixed seed and the default world, and records its callbacks. */
export async function withSandbox<Result>(
  env: Readonly<Record<string, string>>,
  work: (sandbox: ExampleSandbox) => Promise<Result>,
): Promise<Result> {
  const callbacks: unknown[] = []
  const mails = env['SANDBOX_SMTP_URL'] === MAIL_SERVER ? await startMailServer() : undefined
  const sandbox = await createSandbox({
    config: readConfig(
      { SANDBOX_RATE_LIMIT: '', LOG_LEVEL: 'silent', ...env, ...(mails && { SANDBOX_SMTP_URL: mails.url }) },
      false,
    ),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => WHEN }),
    wall: () => WHEN,
    clock: { real_anchor: WHEN, world_anchor: WHEN, speed: 0 },
    async send({ body }) {
      const { challenge } = JSON.parse(body) as { readonly challenge?: string }
      if (challenge !== undefined) return { status: 200, error: '', body: challenge }
      callbacks.push(JSON.parse(body))
      return { status: 200, error: '' }
    },
    pause: async () => {},
  })
  try {
    return await work({ sandbox, callbacks, ask: (asking) => ask(sandbox, asking) })
  } finally {
    await sandbox.close()
    mails?.close()
  }
}

/** An address of examples that stands for a mail server that accepts all mails. */
const MAIL_SERVER = 'smtp://127.0.0.1:1025'

async function startMailServer() {
  const server = createServer((socket) => {
    let isText = false
    socket.write('220 mail\r\n')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const sent = chunk.toString()
      if (isText && !sent.endsWith('\r\n.\r\n')) return
      isText = !isText && sent.startsWith('DATA')
      socket.write(isText ? '354 go on\r\n' : '250 accepted\r\n')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  }
}

async function ask(sandbox: Sandbox, { method, path, body, text, type, as, headers }: Asking) {
  const pair = credentials[as]
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await sandbox.fetch(
    new Request(`${ORIGIN}${path}`, {
      method: method.toUpperCase(),
      headers: {
        ...(pair && { authorization: `Basic ${btoa(pair)}` }),
        ...(sent !== undefined && { 'content-type': type ?? 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    }),
  )
  const { status } = response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const answer = isStream ? await firstEvents(response) : await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status, headers: response.headers, body: isJson ? (JSON.parse(answer) as unknown) : answer }
}

/** Reads the beginning of an endless stream. */
async function firstEvents(response: Response): Promise<string> {
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const

/**
 * Sends the steps in order. Placeholders such as `{{0.reference}}` refer to earlier responses.
 * @returns a function that replaces the placeholders in a value
 * @throws {Error} If a step is rejected
 */
export async function prepare({ ask: send }: ExampleSandbox, steps: readonly Step[]) {
  const answers: unknown[] = []
  const fill = <T>(value: T): T => filled(value, answers) as T
  for (const step of steps) {
    const method = METHODS.find((each) => step[each] !== undefined)
    if (!method) throw new Error(`a step needs one of ${METHODS.join(', ')}`)
    const asking = { method, path: fill(step[method]!), body: fill(step.body), as: step.as }
    let answer = await send(asking)
    while (answer.status < 400 && !hasFields(answer.body, step.until)) {
      await pause(20)
      answer = await send(asking)
    }
    if (answer.status >= 400)
      throw new Error(`${method} ${step[method]} before it was refused: ${JSON.stringify(answer.body)}`)
    answers.push(answer.body)
  }
  return fill
}

const hasFields = (body: unknown, fields: Step['until'] = {}) =>
  Object.entries(fields).every(([name, value]) => (body as Record<string, unknown>)[name] === value)

function filled(value: unknown, answers: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, answers))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, answers)]))
  if (typeof value !== 'string') return value
  const whole = /^\{\{([\w. ]+\/?)\}\}$/.exec(value)?.[1]
  if (whole !== undefined) return at(answers, whole)
  return value.replaceAll(/\{\{([\w. ]+\/?)\}\}/g, (_, path: string) => String(at(answers, path)))
}

/** Returns a field of the responses; for a path that ends in `/`, the last segment of the URL in it; for `300 letters`, such a text. */
function at(answers: readonly unknown[], path: string): unknown {
  const letters = /^(\d+) letters$/.exec(path)?.[1]
  if (letters !== undefined) return 'x'.repeat(Number(letters))
  if (path.endsWith('/'))
    return String(at(answers, path.slice(0, -1)))
      .split('/')
      .at(-1)
  const found = path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], answers)
  if (found === undefined) throw new Error(`no step has answered with ${path}`)
  return found
}
