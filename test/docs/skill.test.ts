import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { operations as control } from '../../src/generated/control/operations.ts'
import { operations as service } from '../../src/generated/service/operations.ts'
import { tools } from '../../src/mcp/server.ts'
import { startPages } from '../pages/pages.ts'

const file = readFileSync('skills/payments-sandbox/SKILL.md', 'utf8')
const [, front, text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(file)!
const { get } = await startPages()
/** Words in code that stand for themselves. */
const words = [...text!.replace(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, word]) => word!)

describe('the skill', () => {
  it('states its purpose in a front matter within the limits of agents', () => {
    const { name, description, ...rest } = parse(front!)
    expect(rest).toEqual({})
    expect(name).toBe('payments-sandbox')
    expect(description.length).toBeLessThanOrEqual(1_024)
    expect(text!.length).toBeLessThan(12_000)
  })

  it('names existing operations, outcomes, tools and guides', () => {
    const known = new Set([
      ...Object.keys(service),
      ...tools.map(({ name }) => name),
      ...readdirSync('scenarios').map((each) => each.replace('.yaml', '')),
      ...readdirSync('docs').map((each) => each.replace('.md', '')),
    ])
    const named = words.filter((word) => /^[a-z]+(-[a-z]+)+$|^(create|get|discover)[A-Z]\w+$/.test(word))
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((word) => !known.has(word) && word !== 'payments-sandbox')).toEqual([])
    for (const tool of ['pay', 'explain', 'use_scenario', 'settle', 'clock', 'check_signature'])
      expect([words.includes(tool), known.has(tool)], tool).toEqual([true, true])
    for (const [, guide] of text!.matchAll(/the guide `([\w-]+)`/gi))
      expect(existsSync(`docs/${guide}.md`), guide).toBe(true)
  })

  it('names existing paths of the sandbox', () => {
    const paths = Object.values<string>(control).map((place) => place.replace(/\{\?.*/, '').split(' ')[1])
    const named = words.flatMap((word) => /^(?:[A-Z]+ )?(\/sandbox\/[^\s?]+)$/.exec(word)?.[1] ?? [])
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((path) => !paths.includes(path))).toEqual([])
  })

  it('is served with the address of the sandbox', async () => {
    const { status, headers, text: served } = await get('/docs/skill.md')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(served).toMatch(/^---\nname: payments-sandbox\n/)
    expect(served).toContain('curl http://sandbox.test/llms.txt')
  })

  it('is in the package', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('skills')
  })
})
