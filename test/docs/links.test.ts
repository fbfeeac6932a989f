import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const folders = ['.', '.github', 'docs', 'docs/decisions', 'bench']
const pages = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
)

const withoutCode = (text: string) => text.replace(/^```[^]*?^```/gm, '').replace(/`[^`\n]*`/g, '')

/** Where the page leads within the repository: `[text](target)`, without addresses of the web. */
function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = text.replace(/^```[^]*?^```/gm, '').matchAll(/^#+ +(.+)$/gm)
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function deadLinks(page: string, text: string): string[] {
  return linksOf(text).filter((target) => {
    const [path, anchor] = target.split('#') as [string, string?]
    const file = path === '' ? page : join(dirname(page), decodeURI(path))
    if (!existsSync(file)) return true
    const there = path === '' ? text : file.endsWith('.md') ? readFileSync(file, 'utf8') : ''
    return anchor !== undefined && !anchorsOf(there).includes(anchor)
  })
}

describe('the pages', () => {
  it.each(pages)('%s leads to what is there', (page) => {
    expect(deadLinks(page, readFileSync(page, 'utf8'))).toEqual([])
  })
})

describe('the pages in the package', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] }
  const left = files.filter((each) => each.startsWith('!')).map((each) => each.slice(1))
  const shipped = pages.filter(
    (page) => files.includes('docs/*.md') && /^docs.[^/\\]+$/.test(page) && !left.includes(page),
  )
  /** What is said to those who work on the sandbox is for the repository. */
  const forUsers = (text: string) => text.replace(/^## Work on it\n[^]*/m, '')
  const isShipped = (file: string) =>
    shipped.includes(file) ||
    files.some((each) => file === each || file.startsWith(`${each}/`)) ||
    ['README.md', 'LICENSE', 'package.json'].includes(file)

  it.each(['README.md', ...shipped])('%s leads to what the package has', (page) => {
    const targets = linksOf(forUsers(readFileSync(page, 'utf8'))).filter((target) => !target.startsWith('#'))
    const there = targets.map((target) => join(dirname(page), target.split('#')[0]!))
    expect(there.filter((file) => !isShipped(file))).toEqual([])
    expect(shipped.length).toBeGreaterThan(10)
  })
})

describe('the layout in docs/architecture.md', () => {
  const folders = readdirSync('src', { withFileTypes: true }).filter((each) => each.isDirectory())

  it.each(folders.map(({ name }) => name))('names src/%s', (name) => {
    expect(readFileSync('docs/architecture.md', 'utf8')).toContain(`| \`src/${name}/\``)
  })
})

describe('this test', () => {
  it('sees a file and a heading that are not there', () => {
    const text =
      '## A (good) heading\n[a](no-such.md) [b](#a-good-heading) [c](#b) [d](https://a.example) `[e](f)`'
    expect(deadLinks('README.md', text)).toEqual(['no-such.md', '#b'])
  })
})
