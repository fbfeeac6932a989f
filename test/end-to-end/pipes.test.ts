import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { ask, startProcess } from '../support/process.ts'
import { collection } from '../support/requests.ts'

/** Runs a line of bash in which `sandbox` is the command. */
function bash(line: string, env: Record<string, string> = {}) {
  const command = `sandbox() { exec ${process.execPath} build/run.mjs "$@"; }; ${line}`
  const child = spawn('bash', ['--norc', '-c', command], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...printed }))
  return { child, ended, printed }
}

it('prints nothing when its reader closes the pipe', async () => {
  expect(await bash('(sandbox openapi --json) | head -c 1; echo " ${PIPESTATUS[0]}"').ended).toEqual({
    code: 0,
    out: '{ 0\n',
    err: '',
  })
})

it('ends a running command when its reader closes the pipe', async () => {
  const server = await startProcess()
  const line = `(sandbox logs tail --json --only requests --url ${server.url}) | head -n 1; echo "\${PIPESTATUS[0]}"`
  const { ended } = bash(line)
  const going = { on: true }
  void ended.then(() => (going.on = false))
  // It finds out with what it would show next.
  while (going.on)
    await ask(server, 'POST', '/api/v2/payments', collection({ callback_url: 'http://127.0.0.1:9/' }))
  const { out, err } = await ended
  const [first, code] = out.trim().split('\n')
  expect([JSON.parse(first!).kind, code, err]).toEqual(['request', '0', ''])
})

it('exits with 0 on Ctrl-C, without an error', async () => {
  const server = await startProcess()
  const { child, ended } = bash(`sandbox logs tail --url ${server.url}`)
  child.stderr.once('data', () => child.kill('SIGINT'))
  expect(await ended).toEqual({ code: 0, out: '', err: `${server.url} as demo\n` })
})
