import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ask, listeningAt, startProcess, type Running } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { collection } from '../support/requests.ts'
import { within } from '../support/within.ts'

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Milliseconds. On a machine with time to spare it is 700 at most; what must not happen is that an end waits for
 * others, who would take until the process is killed.
 */
const SOON = 5_000

async function expectQuickEnd(server: Running, signal: NodeJS.Signals) {
  const started = performance.now()
  expect(await server.stop(signal)).toMatchObject({ code: 0, stderr: '' })
  expect(performance.now() - started).toBeLessThan(SOON)
}

it.each(signals)('%s ends with 0 soon', async (signal) => {
  await expectQuickEnd(await startProcess(), signal)
})

it.each(signals)('%s ends soon while a receiver hangs', async (signal) => {
  const receiver = await startReceiver(() => {})
  const server = await startProcess({ SANDBOX_SETTLE_AFTER: '0' })
  await ask(server, 'POST', '/api/v2/payments', collection({ callback_url: receiver.url }))
  await receiver.until('the callback', (all) => all.length === 1)
  await expectQuickEnd(server, signal)
})

it.each(signals)('%s ends soon while clients keep their connections', async (signal) => {
  const server = await startProcess()
  // One has had its answer, one is in the middle of a request that it never finishes.
  await ask(server, 'GET', '/api/v2/account/63')
  const slow = connect(Number(new URL(server.url).port), '127.0.0.1')
  slow.on('error', () => {})
  await within('a connection', 30_000, (found) => slow.on('connect', found))
  slow.write('POST /api/v2/payments HTTP/1.1\r\nhost: sandbox\r\ncontent-length: 100\r\n')
  slow.write(`authorization: Basic ${Buffer.from('demo:demo').toString('base64')}\r\n\r\n{`)
  await ask(server, 'GET', '/api/v2/account/63')
  await expectQuickEnd(server, signal)
  slow.destroy()
})

it('a second signal during the shutdown changes nothing', async () => {
  const server = await startProcess()
  server.child.kill('SIGINT')
  await expectQuickEnd(server, 'SIGINT')
})

it('SIGTERM to npm start also ends the sandbox and frees its port', async () => {
  const npm = spawn('npm', ['start'], {
    env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void npm.kill('SIGKILL'))
  let printed = ''
  // The pipe closes once nobody is left who could write to it: npm, its shell and the sandbox.
  const left = once(npm.stdout, 'end')
  const url = await within<string>('the line that says where it listens', 60_000, (found) =>
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const address = listeningAt(printed)
      if (address !== undefined) found(address)
    }),
  )
  npm.kill('SIGTERM')
  await left
  await expect(fetch(`${url}/livez`)).rejects.toThrow('fetch failed')
}, 90_000)

it('with SANDBOX_SHUTDOWN_DELAY, /readyz reports the shutdown and requests are served until then', async () => {
  const server = await startProcess({ SANDBOX_SHUTDOWN_DELAY: '2s' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const get = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const auth = 'demo:demo'
      request(`${server.url}${path}`, { agent, auth }, (answer) => resolve(answer.resume()))
        .on('error', reject)
        .end()
    })
  expect((await get('/readyz')).headers).toMatchObject({ connection: 'keep-alive' })
  const began = performance.now()
  const ended = server.stop('SIGTERM')
  let ready = await get('/readyz')
  for (; ready.statusCode === 200; ready = await get('/readyz'));
  expect(ready).toMatchObject({ statusCode: 503, headers: { connection: 'close' } })
  const answer = await get('/api/v2/account/63')
  expect(answer).toMatchObject({ statusCode: 200, headers: { connection: 'close' } })
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
  expect(performance.now() - began).toBeGreaterThan(1_900)
  await expect(get('/readyz')).rejects.toThrow('ECONNREFUSED')
})
