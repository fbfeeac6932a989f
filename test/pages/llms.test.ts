import { describe, expect, it } from 'vitest'
import { operationsOf, type Part, resolve } from '../../src/pages/viewer/description.ts'
import { hosted } from '../support/sandbox.ts'
import { startPages } from './pages.ts'

const { get } = await startPages()
const strangers = await startPages(hosted)
const older = await startPages({ SANDBOX_EXTENSIONS: 'on' })

const described: Record<string, Part> = {
  service: (await get('/openapi.json')).json,
  control: (await get('/sandbox/openapi.json')).json,
}
const all = Object.values(described).flatMap((description) =>
  operationsOf(description.paths).map((found) => ({
    description,
    ...found,
    id: found.operation.operationId,
  })),
)
const linksOf = (text: string) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!)
const textOf = async (path: string) => (await get(path)).text

describe('/llms.txt', () => {
  it('has the form of llmstxt.org: a name, a summary, then lists of links below headings', async () => {
    const { status, headers, text } = await get('/llms.txt')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const [head, ...sections] = text.split(/^## /m)
    expect(head).toMatch(/^# payments-sandbox\n\n> A sandbox of[^]*?\n\n\S/)
    expect(head!.match(/^#/gm)).toHaveLength(1)
    expect(sections.at(-1)).toMatch(/^Optional\n/)
    for (const section of sections) {
      const [title, blank, ...lines] = section.trimEnd().split('\n')
      expect([title !== '', blank]).toEqual([true, ''])
      for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\(http:\/\/sandbox\.test\/[^)]+\)(: .+)?$/)
    }
  })

  it('only has working links', async () => {
    const links = linksOf(await textOf('/llms.txt'))
    expect(links.length).toBeGreaterThan(100)
    const statuses = await Promise.all(
      links.map(async (link) => [link, (await get(new URL(link).pathname)).status]),
    )
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([])
  })

  it('lists every guide and every operation', async () => {
    const links = linksOf(await textOf('/llms.txt'))
    const guides = linksOf(await textOf('/docs/guides/README.md'))
    expect(links).toEqual(expect.arrayContaining([...guides, 'http://sandbox.test/docs/skill.md']))
    for (const { id } of all) expect(links).toContain(`http://sandbox.test/docs/operations/${id}.md`)
  })

  it('does not contain a chosen password', async () => {
    const { text } = await strangers.get('/llms.txt')
    expect(text).toContain('`demo` and the password of SANDBOX_API_PASSWORD')
    expect(text + (await strangers.get('/llms-full.txt')).text).not.toContain('a password of its own\n')
  })

  it('lists the legacy endpoints if they are served', async () => {
    expect(await textOf('/llms.txt')).not.toContain('/docs/operations/getWallet.md')
    expect((await older.get('/llms.txt')).text).toContain('/docs/operations/getWallet.md')
    expect((await older.get('/docs/operations/getWallet.md')).status).toBe(200)
    expect((await get('/docs/operations/getWallet.md')).status).toBe(404)
  })
})

describe('/llms-full.txt', () => {
  it('contains the text of every guide and operation', async () => {
    const first = await textOf('/llms-full.txt')
    const addresses = /^Part 1 of \d+: (.*)$/m.exec(first)![1]!.split(' ')
    const parts = await Promise.all(addresses.map((address) => textOf(new URL(address).pathname)))
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThan(100 * 1024)
    const text = parts.join('\n')
    for (const { method, path, id } of all)
      expect(text).toContain(`\`${method.toUpperCase()} ${path}\` · operation \`${id}\``)
    const callbacks = await textOf('/docs/guides/receive-callbacks.md')
    expect(text.replace(/\s+/g, ' ')).toContain(
      callbacks
        .replace(/^# .*\n/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    expect(text).toContain(
      '# Receive callbacks\n\nSource: http://sandbox.test/docs/guides/receive-callbacks.md\n',
    )
    expect(linksOf(text).filter((link) => link.startsWith('/'))).toEqual([])
  })
})

describe.each(all)('the page of $id', ({ id, method, path, operation, description }) => {
  it('contains the method, parameters, fields, statuses and a command', async () => {
    const { status, headers, text } = await get(`/docs/operations/${id}.md`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(text).toMatch(/^# \S/)
    expect(text).toContain(`\`${method.toUpperCase()} ${path}\``)
    const item = description.paths[path]
    for (const each of [...(item.parameters ?? []), ...(operation.parameters ?? [])])
      expect(text).toContain(`| \`${resolve(description, each).name}\` |`)
    const body = operation.requestBody?.content?.['application/json']?.schema
    for (const field of Object.keys(resolve(description, body ?? {}).properties ?? {}))
      expect(text).toContain(`| \`${field}\` |`)
    for (const code of Object.keys(operation.responses))
      expect(text).toMatch(Number(code) < 400 ? `\`${code}\`` : `| ${code} |`)
    const command = /^```sh\n([^]*?)\n```$/m.exec(text)![1]!
    expect(command).toMatch(/^curl .*http:\/\/sandbox\.test\//)
    expect(command).not.toMatch(/[{}](?=[^']*$)/)
    expect(text).not.toMatch(/undefined|\[object Object\]|http:\/\/127\.0\.0\.1:8080/)
  })
})

it('marks assumptions in place', async () => {
  const text = await textOf('/docs/operations/createCollection.md')
  expect(text).toContain('*observed*: The fields are documented; which of them are required is observed.')
  expect(text).toContain('## How sure is this?')
  expect(text).toContain('| `phone_number` | `254700000002` | `payer-cancels` |')
})

it('suggests the nearest operation in a 404', async () => {
  const { status, json } = await get('/docs/operations/createColection.md')
  expect(status).toBe(404)
  expect(json.error_message).toContain('did you mean createCollection?')
})

it('links to the list in a 404', async () => {
  expect((await get('/api/v2/paymints')).headers.get('link')).toBe(
    '</llms.txt>; rel="help"; type="text/plain"',
  )
})

describe('/docs', () => {
  it('returns the list to clients that prefer Markdown, and the viewer to browsers', async () => {
    const reader = await get('/docs', { accept: 'text/markdown, text/html, */*' })
    expect(reader.text).toMatch(/^# payments-sandbox\n/)
    const browser = await get('/docs', { accept: 'text/html,*/*' })
    expect(browser.text).toMatch(/^<!doctype html>/)
    expect(browser.headers.get('vary')).toContain('Accept')
  })

  it.each([
    ['/docs', '/llms.txt'],
    ['/docs/embed?operation=createCollection', '/docs/operations/createCollection.md'],
    ['/docs/guides/receive-callbacks', '/docs/guides/receive-callbacks.md'],
  ])('%s links to its Markdown version', async (page, text) => {
    const { status, text: html } = await get(page, { accept: 'text/html' })
    if (status === 503) return
    expect(html.replace(/\s+/g, ' ')).toMatch(
      new RegExp(`<link rel="alternate" type="text/markdown" href="${text}" ?/>`),
    )
  })
})
