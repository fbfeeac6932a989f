import { afterAll } from 'vitest'
import type { OutgoingCallback } from '../../src/callbacks/send.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox, type Parts, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { hosted } from '../support/sandbox.ts'

export const OWNER = { username: 'demo', password: hosted.SANDBOX_API_PASSWORD }

export interface Credentials {
  readonly username: string
  readonly password: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the client sees
  readonly body: any
}

const basic = ({ username, password }: Credentials) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** A sandbox for strangers behind a proxy of this machine, which says from which address each request comes. */
export async function openToStrangers(env: Record<string, string> = {}, parts: Partial<Parts> = {}) {
  const sent: OutgoingCallback[] = []
  const time = { now: Date.parse('2026-06-13T12:00:00Z') }
  const lines: string[] = []
  const sandbox: Sandbox = await createSandbox({
    config: readConfig({
      ...hosted,
      SANDBOX_SIGN_UP: 'open',
      SANDBOX_TRUSTED_PROXIES: 'loopback',
      SANDBOX_PORT: '0',
      SANDBOX_IN_CONTAINER: 'off',
      ...env,
    }),
    log: createLog({
      level: env['LOG_LEVEL'] === 'info' ? 'info' : 'silent',
      write: (line) => void lines.push(line),
      terminal: false,
      now: () => time.now,
    }),
    wall: () => time.now,
    calendar: false,
    async send(outgoing) {
      sent.push(outgoing)
      return { status: 200, error: '' }
    },
    ...parts,
  })
  afterAll(() => sandbox.close())
  const { port } = await sandbox.listen()
  const url = `http://127.0.0.1:${port}`

  /** A request from an address; a body that is not text is sent as JSON. */
  async function ask(
    method: string,
    path: string,
    options: {
      readonly as?: Credentials | undefined
      readonly body?: unknown
      readonly from?: string
      readonly headers?: Record<string, string>
    } = {},
  ): Promise<Answer> {
    const { as, body, from = '198.51.100.1', headers = {} } = options
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': from,
        ...(as && { authorization: basic(as) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json && text ? JSON.parse(text) : undefined,
    }
  }

  let strangers = 0
  /** Somebody who signed up, at an address of the own. */
  async function stranger() {
    const from = `203.0.113.${++strangers}`
    const { body } = await ask('POST', '/sandbox/sign-up', { from })
    const as: Credentials = body.credentials
    const request =
      (method: string) => (path: string, sentBody?: unknown, headers?: Record<string, string>) =>
        ask(method, path, { as, body: sentBody, from, ...(headers && { headers }) })
    return {
      ...as,
      from,
      made: body,
      id: body.world.id as string,
      get: request('GET'),
      post: request('POST'),
      put: request('PUT'),
      patch: request('PATCH'),
      delete: request('DELETE'),
    }
  }

  return { sandbox, url, port, ask, stranger, sent, time, lines, authorizationOf: basic }
}
