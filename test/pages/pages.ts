import { afterAll } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'

/** A sandbox whose pages are read without a port and without a browser. */
export async function startPages(env: Record<string, string> = {}) {
  const sandbox = await createSandbox({
    config: readConfig({ LOG_LEVEL: 'silent', ...env }),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => 0 }),
    send: async () => ({ status: 200, error: '' }),
  })
  afterAll(() => sandbox.close())
  return {
    /** The answer's body as it was sent. */
    async bytes(path: string, headers: Record<string, string> = {}) {
      const response = await sandbox.fetch(new Request(`http://sandbox.test${path}`, { headers }))
      return {
        status: response.status,
        headers: response.headers,
        body: Buffer.from(await response.arrayBuffer()),
      }
    },
    async get(path: string, headers: Record<string, string> = {}, method = 'GET') {
      const response = await sandbox.fetch(new Request(`http://sandbox.test${path}`, { method, headers }))
      const text = await response.text()
      const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
      return { status: response.status, headers: response.headers, text, json }
    },
  }
}

/** A header in its directives: `script-src 'self'` is `{ 'script-src': "'self'" }`. */
export const policyOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    (headers.get('content-security-policy') ?? '').split(';').flatMap((directive) => {
      const [name, ...rest] = directive.trim().split(/\s+/)
      return name ? [[name, rest.join(' ')]] : []
    }),
  )
