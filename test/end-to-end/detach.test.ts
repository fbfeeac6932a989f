import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runToEnd } from '../support/process.ts'

/** Returns a port that is free at the moment, because `--detach` needs one. */
async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

const detach = (...args: string[]) => runToEnd('start', '--detach', ...args)

describe('start --detach', () => {
  it('returns when the sandbox is ready, which then runs until it is stopped', async () => {
    const port = await freePort()
    const { code, stdout, stderr } = await detach('--port', port, '--settle-after', '7s')
    const [, url, pid, log] = /^ready: (\S+), pid (\d+), log (\S+)\n$/.exec(stdout) ?? []
    onTestFinished(() => void process.kill(Number(pid)))
    expect({ code, stderr, url }).toEqual({ code: 0, stderr: '', url: `http://127.0.0.1:${port}` })
    const world = await fetch(`${url}/sandbox/worlds/current`, {
      headers: { authorization: `Basic ${btoa('demo:demo')}` },
    })
    expect(await world.json()).toMatchObject({ settings: { settle_after: '7s' } })
    expect(log).toContain(port)
    expect(await detach('--port', port)).toMatchObject({
      code: 3,
      stderr: `a sandbox already runs at ${url}; set SANDBOX_PORT (--port) to another port\n`,
    })
  })

  it('prints why the sandbox does not start', async () => {
    const refused = await detach('--port', await freePort(), '--seed-file', '/nowhere.yaml')
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('/nowhere.yaml: no such file') })
  })

  it('needs a port', async () => {
    expect(await detach('--port', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--detach needs a port'),
    })
  })
})
