import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { callerOf } from './session.ts'

const transport = new StdioClientTransport({
  command: process.execPath,
  args: ['build/run.mjs', 'mcp'],
  env: { PATH: process.env['PATH'] ?? '', SANDBOX_SETTLE_AFTER: '0' },
  stderr: 'pipe',
})
let told = ''
transport.stderr!.on('data', (piece: Buffer) => (told += piece.toString()))
const client = new Client({ name: 'test', version: '1.0.0' })
await client.connect(transport)
afterAll(() => client.close())
const call = callerOf(client)

it('a separate sandbox listens, and tools work in it', async () => {
  const [, url] = /started a sandbox at (http:\/\/127\.0\.0\.1:\d+)\n/.exec(told)!
  expect(client.getInstructions()).toContain(`at ${url}.`)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const { facts } = await call('pay', { outcome: 'payer-cancels', settle: true })
  expect(facts.transaction).toMatchObject({ status: 'FAILED', reason: 'cancelled' })
  expect((await call('docs', { read: 'receive-callbacks' })).text).toContain(`${url}/sandbox/callbacks`)
})

it('sends the responses of running requests after the input has ended, and reports lines that are not JSON', async () => {
  const program = spawn(process.execPath, ['build/run.mjs', 'mcp'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const request = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  const client = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  program.stdin.end(
    `${request(1, 'initialize', client)}not JSON\n${request(2, 'tools/call', { name: 'balances', arguments: {} })}`,
  )
  const lines = (await text(program.stdout)).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error: the line is not JSON' } },
    expect.objectContaining({ id: 1, result: expect.objectContaining({ protocolVersion: '2025-06-18' }) }),
    expect.objectContaining({ id: 2, result: expect.objectContaining({ content: expect.any(Array) }) }),
  ])
})
