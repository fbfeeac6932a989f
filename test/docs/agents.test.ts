import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tools } from '../../src/mcp/server.ts'

const page = readFileSync('docs/coding-agents.md', 'utf8')
const servers = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, json]) => {
  const block = JSON.parse(json!)
  return (block.mcpServers ?? block.servers).payments
})
const decoded = (base64: string) => Buffer.from(base64, 'base64').toString()

describe('docs/coding-agents.md', () => {
  it('lists every tool in the order of the server', () => {
    const rows = [...page.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => name)
    expect(rows).toEqual(tools.map(({ name }) => name))
  })

  it('has valid configurations with the documented credentials', () => {
    const remote = servers.filter(({ command }) => !command)
    expect(remote.map(({ url }) => url)).toEqual(Array(3).fill('http://127.0.0.1:8080/mcp'))
    const sent = remote.map(({ headers }) => decoded(headers.Authorization.replace('Basic ', '')))
    expect(sent).toEqual(Array(3).fill('demo:demo'))
    const started = servers.filter(({ command }) => command)
    expect(started.map(({ env }) => env)).toEqual([
      { SANDBOX_API_USERNAME: 'demo', SANDBOX_API_PASSWORD: 'demo' },
    ])
    const own = /`demo\+agent:demo`, which is `(\w+)`/.exec(page)![1]!
    expect(decoded(own)).toBe('demo+agent:demo')
  })
})
