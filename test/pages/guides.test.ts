import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { groupsOf } from '../../src/pages/guides/catalogue.ts'
import { render } from '../../src/pages/guides/render.ts'
import type { Guide } from '../../src/worlds/guide.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hosted } from '../support/sandbox.ts'
import { policyOf, startPages } from './pages.ts'

const { get } = await startPages()
const strangers = await startPages(hosted)
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const names = groupsOf(readFileSync('docs/README.md', 'utf8')).flatMap(({ guides }) =>
  guides.map(({ name }) => name),
)
/** For who works on the sandbox; everybody else has a guide. */
const inside = ['architecture', 'README']

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const pageOf = async (path: string) => (await get(path, browser)).text
const linksOf = (page: string) => [...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!)

describe('the list of guides', () => {
  it('contains every user page of docs', () => {
    const pages = readdirSync('docs').flatMap((name) => (/(.*)\.md$/.exec(name) ?? []).slice(1))
    expect([...names, ...inside].sort()).toEqual(pages.sort())
  })

  it('is at /docs/guides and links to each', async () => {
    const links = linksOf(await pageOf('/docs/guides'))
    expect(links).toEqual(expect.arrayContaining(names.map((name) => `/docs/guides/${name}`)))
  })
})

describe.each(names)('the guide %s', (name) => {
  const path = `/docs/guides/${name}`

  it('is a page for browsers, under a policy that allows nothing from elsewhere', async () => {
    const { status, headers, text } = await get(path, browser)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    const policy = policyOf(headers)
    expect(policy).toMatchObject({ 'default-src': "'none'", 'frame-ancestors': "'none'" })
    expect(policy['style-src']).toMatch(/^'sha256-/)
    expect(text.match(/<h1>/g)).toHaveLength(1)
    expect(text).not.toMatch(/<script[ =]|<img|style="|\bon\w+="/)
    const scripts = [...text.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script]) => hashOf(script!))
    expect(policy['script-src'] ?? '').toBe(scripts.join(' '))
    expect(scripts).toHaveLength(text.includes('<div class="tabs">') ? 1 : 0)
  })

  it('links to existing guides and headings', async () => {
    const links = linksOf((await pageOf(path)).split('</main>')[0]!).filter((href) =>
      /^(#|\/docs\/guides)/.test(href),
    )
    const dead: string[] = []
    for (const href of new Set(links)) {
      const [target, anchor] = href.split('#') as [string, string?]
      const { status, text } = await get(target || path, browser)
      if (status !== 200 || (anchor !== undefined && !text.includes(`id="${anchor}"`))) dead.push(href)
    }
    expect(dead).toEqual([])
  })

  it.each([
    ['below its file name', `${path}.md`, browser],
    ['to who asks for it', path, { accept: 'text/markdown' }],
    ['in a terminal', path, { accept: '*/*' }],
  ])('is Markdown %s', async (_, asked, headers) => {
    const answer = await get(asked, headers)
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(answer.headers.get('vary')).toContain('Accept')
    expect(answer.text).toMatch(/^# /)
    const targets = [...answer.text.matchAll(/\]\(([^)\s]+\.md)[^)]*\)/g)].map(([, target]) => target!)
    for (const target of targets) expect(target).toMatch(/^http:\/\/sandbox\.test\/docs\/guides\/[\w-]+\.md$/)
  })
})

it('suggests the nearest guide in a 404', async () => {
  const { status, json } = await get('/docs/guides/recieve-callbacks')
  expect(status).toBe(404)
  expect(json.error_message).toContain('did you mean receive-callbacks?')
  expect((await get('/docs/guides/recieve-callbacks', browser)).text).toContain(
    'did you mean receive-callbacks?',
  )
  expect((await get('/docs/guides/..%2f..%2fpackage.json')).status).toBe(404)
})

const first = '/docs/guides/payments'

describe('a guide', () => {
  it('contains the address, credentials and settings of its sandbox', async () => {
    const other = await startPages({
      SANDBOX_API_USERNAME: 'shop',
      SANDBOX_API_PASSWORD: 'mine-alone',
      SANDBOX_SETTLE_AFTER: '1h',
      SANDBOX_VALIDATION: 'lenient',
    })
    for (const headers of [browser, {}]) {
      const { text } = await other.get(first, headers)
      expect(text).toContain('curl -u shop:$SANDBOX_API_PASSWORD http://sandbox.test/api/global/payments')
      expect(text).not.toMatch(/127\.0\.0\.1:8080|mine-alone|demo[:+]/)
    }
    const page = (await other.get('/docs/guides/isolated-data', browser)).text
    expect(page).toContain('shop+anything')
    expect(page).toContain('SANDBOX_SETTLE_AFTER=1h')
    expect(page).toContain('SANDBOX_VALIDATION=lenient')
    expect(await pageOf(first)).not.toContain('Set here')
  })

  it('names a Team of the seed that can collect', async () => {
    const file = join(temporaryFolder(), 'seed.yaml')
    writeFileSync(file, readFileSync('seeds/default.yaml', 'utf8').replace(/\b63\b/g, '7063'))
    const seeded = await startPages({ SANDBOX_SEED_FILE: file })
    const { text } = await seeded.get(first)
    expect(text).toContain('"account_id": 7063')
    expect(text).toContain('"vendor_id": 7063')
    expect(text).not.toContain('_id": 63')
  })

  it.each(names)('%s shows no password in hosted mode', async (name) => {
    const { text } = await strangers.get(`/docs/guides/${name}`, browser)
    expect(text).not.toContain(hosted.SANDBOX_API_PASSWORD)
    expect(text).not.toMatch(/\bdemo:demo\b|viewer:viewer/)
  })

  it('escapes names and has no other markup', async () => {
    const odd = await startPages({ SANDBOX_API_USERNAME: '<i>"&\u202e' })
    for (const name of ['', '/isolated-data', '/quick-start']) {
      const { text } = await odd.get(`/docs/guides${name}`, browser)
      expect(text).not.toContain('<i>')
      expect(text).toContain('<bdi><code>&lt;i&gt;&quot;&amp;\u202e:demo</code>')
    }
  })
})

describe('search', () => {
  const found = async (query: string) => (await get(`/docs/search?q=${encodeURIComponent(query)}`)).json.found

  it.each([
    ['a guide', 'verify signature php', 'go-live'],
    ['a section', 'retry profile', 'delivery'],
    ['an outcome', 'payer-cancels', 'outcomes'],
    ['a setting', 'SANDBOX_SETTLE_AFTER', 'settings'],
    ['an operation', 'createCollection', 'createCollection'],
    ['a term', 'glossary inbox', 'glossary'],
  ])('finds %s', async (_, query, name) => {
    expect((await found(query))[0]).toMatchObject({ name })
  })

  it('finds an error and its remedy', async () => {
    const names = (await found('429 resource_exhausted')).map((each: { name: string }) => each.name)
    expect(names).toEqual(expect.arrayContaining(['troubleshooting', 'errors']))
  })

  it('is a page for a browser, with the query in its field as text', async () => {
    const { status, text, headers } = await get('/docs/search?q=%3Cb%3E+freeze+the+clock', browser)
    expect(status).toBe(200)
    expect(text).toContain('value="&lt;b&gt; freeze the clock"')
    expect(text).not.toMatch(/<script|<b> /)
    expect(text).toContain('<a href="/docs/guides/control-time#freeze-the-clock">')
    expect(policyOf(headers)).toMatchObject({ 'default-src': "'none'", 'form-action': "'self'" })
  })

  it('leads to sections that exist', async () => {
    const hits: { page: string }[] = await found('callback clock world settings')
    expect(hits.length).toBeGreaterThan(5)
    for (const { page } of hits.filter((each) => each.page.startsWith('/docs/guides/'))) {
      const [path, anchor] = page.split('#') as [string, string?]
      expect(await pageOf(path)).toContain(anchor === undefined ? '<h1>' : `id="${anchor}"`)
    }
  })

  it('has no results for words that appear nowhere, and for none', async () => {
    expect(await found('xyzzy')).toEqual([])
    expect((await get('/docs/search', browser)).text).toContain('Enter a word to search for.')
  })

  it('is reached from each guide, and not among files', async () => {
    expect(await pageOf('/docs/guides/quick-start')).toContain('<form role="search" action="/docs/search">')
  })
})

describe('the reference at /docs', () => {
  const textOf = async (sandbox: Awaited<ReturnType<typeof startPages>>) => {
    const { json } = await sandbox.get('/docs/service.json')
    return `${json.info.description} ${json.components.securitySchemes.basicAuth.description}`
  }

  it('names this sandbox’s user and Teams, and links to the guides', async () => {
    const file = join(temporaryFolder(), 'seed.yaml')
    const seed = readFileSync('seeds/default.yaml', 'utf8').replace(/\b63\b/g, '7063')
    writeFileSync(file, seed.replaceAll('username: demo', 'username: shop'))
    const said = await textOf(await startPages({ SANDBOX_SEED_FILE: file }))
    expect(said).toContain('shop+anything:demo')
    expect(said).toContain('Its Teams: 7063 KES')
    expect(said).not.toMatch(/\bdemo[:+]|Team `63`/)
    expect(said).toContain('](/docs/guides/quick-start)')
  })

  it('shows no password in hosted mode', async () => {
    const said = await textOf(strangers)
    expect(said).toContain('demo:$SANDBOX_API_PASSWORD')
    expect(said).not.toMatch(/demo:demo|viewer:viewer/)
    expect(said).not.toContain(hosted.SANDBOX_API_PASSWORD)
  })

  it('links to existing guides', async () => {
    const both = await Promise.all(['service', 'control'].map((api) => get(`/docs/${api}.json`)))
    const links = both.flatMap(({ text }) =>
      [...text.matchAll(/\]\((\/docs\/guides[^)]*)\)/g)].map(([, to]) => to!),
    )
    expect(links.length).toBeGreaterThan(4)
    const answers = await Promise.all(links.map(async (link) => (await get(link)).status))
    expect(new Set(answers)).toEqual(new Set([200]))
  })
})

describe('markup of a guide', () => {
  const here = { origin: 'http://a.test', first: { username: 'demo', password: 'demo' } as Guide }
  const markupOf = (markdown: string) => render(markdown, here, (name) => `/at/${name}`).markup

  it.each([
    ['markup', 'a <b onclick="x">c</b>', '&lt;b onclick=&quot;x&quot;&gt;'],
    ['a block of markup', '<script>\nalert(1)\n</script>', '&lt;script&gt;'],
    ['code', '`<b>`\n\n```sh\n<b>\n```', '<code>&lt;b&gt;</code>'],
    ['a link with a script', '[a](javascript:alert(1))', '<p>a</p>'],
    ['tabs', '<!-- tabs -->\n\n### A\n\nb\n\n<!-- /tabs -->', '<div class="tabs">'],
    ['a comment', 'a\n\n<!-- run: test/a -->\n\nb', '<p>a</p>\n<p>b</p>'],
    ['an image', '![<b>](http://elsewhere.test/a.png)', '&lt;b&gt;'],
    ['a file that is not served', '[the file](../src/cli/main.ts)', '<p>the file</p>'],
    ['headings of one name', '## A `b`\n\n## A b', 'id="a-b-1"'],
  ])('of %s', (_, markdown, expected) => {
    const markup = markupOf(markdown)
    expect(markup).toContain(expected)
    expect(markup).not.toMatch(/<(b|script|img)\b|javascript:/)
  })
})
