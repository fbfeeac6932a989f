import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tools } from '../../src/mcp/tools.ts'

const page = readFileSync('docs/agents.md', 'utf8')
const blocks = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, json]) => JSON.parse(json!))

describe('docs/agents.md', () => {
  it('has every tool, in the order in which they are listed', () => {
    const rows = [...page.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => name)
    expect(rows).toEqual(tools.map(({ name }) => name))
  })

  it('has configurations that are JSON, with the credentials that it says', () => {
    expect(blocks).toHaveLength(4)
    const servers = blocks.map((block) => (block.mcpServers ?? block.servers).payments)
    for (const { url, headers, command, env } of servers)
      if (command) expect(env).toEqual({ SANDBOX_API_USERNAME: 'demo', SANDBOX_API_PASSWORD: 'demo' })
      else {
        expect(url).toBe('http://127.0.0.1:8080/mcp')
        expect(Buffer.from(headers.Authorization.replace('Basic ', ''), 'base64').toString()).toBe(
          'demo:demo',
        )
      }
    const own = /`demo\+agent:demo`, which is `(\w+)`/.exec(page)![1]!
    expect(Buffer.from(own, 'base64').toString()).toBe('demo+agent:demo')
  })
})
