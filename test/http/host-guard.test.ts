/** A web page that reaches a sandbox by a name of its own (DNS rebinding) is of its origin to the browser. */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { hostGuard, oursBy } from '../../src/http/cross-origin.ts'
import { hosted, startSandbox } from '../support/sandbox.ts'

const guard = hostGuard([], oursBy(['sandbox.example', '*.tunnel.example']))!

describe('a Host header', () => {
  it.each([
    undefined,
    'localhost',
    'localhost:8080',
    'localhost.:8080',
    '127.0.0.1:8080',
    '192.168.1.7',
    '[::1]:8080',
    'sandbox:8080',
    'payments_sandbox:8080',
    'host.docker.internal:8080',
    'shop.localhost:8080',
    'sandbox.default.svc',
    'sandbox.default.svc.cluster.local:8080',
    'nas.home.arpa',
    'sandbox.test',
    'Sandbox.Example:8080',
    'a.tunnel.example',
  ])('%s is accepted', (host) => {
    expect(guard(host)).toBeUndefined()
  })

  it.each([
    'rebind.example:8080',
    'localhost.rebind.example',
    '127.0.0.1.nip.io:8080',
    'sandbox.example.rebind.example',
    'a.sandbox.example',
    'tunnel.example',
    'eviltunnel.example',
    'x.internal.rebind.example',
  ])('%s is rejected, with the setting that allows it', (host) => {
    const name = host.replace(/:.*/, '')
    expect(guard(host)).toMatch(`this sandbox is not served as ${name}`)
    expect(guard(host)).toContain(`SANDBOX_ALLOWED_HOSTS=${name}`)
  })
})

/** What a request over a connection is answered that names this host. */
const asked = (port: number, path: string, host: string) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = { host, authorization: `Basic ${btoa('demo:demo')}` }
    const sent = request({ port, path, headers, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece) => (text += piece))
      answer.on('end', () => resolve({ status: answer.statusCode!, text }))
    })
    sent.on('error', reject).end()
  })

describe('a sandbox at a port', async () => {
  const portOf = async (env: Record<string, string>) =>
    (await (await startSandbox({ PORT: '0', ...env })).sandbox.listen()).port
  const paths = ['/api/v2/account/63', '/sandbox/clock', '/__admin/health', '/docs/embed.js', '/livez']

  it('rejects foreign names everywhere in local mode', async () => {
    const port = await portOf({})
    for (const path of paths) {
      const { status, text } = await asked(port, path, 'rebind.example')
      expect(status, path).toBe(403)
      expect(JSON.parse(text)).toMatchObject({ error_code: 'permission_denied', status_code: 403 })
      expect((await asked(port, path, `localhost:${port}`)).status, path).toBe(200)
    }
  })

  it('accepts configured names, and any name if configured or in hosted mode', async () => {
    const listed = await portOf({ SANDBOX_ALLOWED_HOSTS: 'sandbox.example' })
    for (const path of paths) expect((await asked(listed, path, 'sandbox.example')).status, path).toBe(200)
    expect((await asked(listed, '/livez', 'rebind.example')).status).toBe(403)
    for (const env of [{ SANDBOX_ALLOWED_HOSTS: '*' }, hosted])
      expect((await asked(await portOf(env), '/livez', 'rebind.example')).status).toBe(200)
    const hostedList = await portOf({ ...hosted, SANDBOX_ALLOWED_HOSTS: 'sandbox.example' })
    expect((await asked(hostedList, '/livez', 'rebind.example')).status).toBe(403)
  })
})
