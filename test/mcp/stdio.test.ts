import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, it } from 'vitest'
import { callerOf } from './session.ts'

const transport = new StdioClientTransport({
  command: process.execPath,
  args: ['--import', 'tsx', 'src/cli/main.ts', 'mcp'],
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
