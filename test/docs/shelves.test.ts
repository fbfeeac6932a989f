import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runsInShell } from './commands.ts'
import { allPages, type Block, blocksOf, stepByStep, wordsIn } from './pages.ts'

/** Returns why a block is not proven to work; undefined if a suite runs it. */
function problemWith({ page, language, code, suite, reason }: Block): string | undefined {
  const named = suite === undefined ? (reason?.match(/[.\w-]+(?:\/[.\w-]+)+/g) ?? []) : [suite]
  const missing = named.find((path) => !existsSync(path))
  if (missing !== undefined) return `${missing} does not exist`
  if (suite !== undefined)
    return readFileSync(suite, 'utf8').includes(basename(page)) ? undefined : `${suite} does not read ${page}`
  if (language === 'text' || language === 'js' || reason !== undefined) return undefined
  return language === 'sh' && runsInShell(code) ? undefined : `no suite runs:\n${code}`
}

describe.each(stepByStep)('%s', (page) => {
  const text = readFileSync(page, 'utf8')

  it('has at most 600 words', () => expect(wordsIn(text)).toBeLessThanOrEqual(600))

  it('lists what the reader needs and what the reader will see', () => {
    expect(text).toMatch(/^## You need$/m)
    expect(text).toMatch(/^## You will see$|^You will see /m)
    expect(text.split('## ')[1]).toMatch(/^You need\n/)
  })

  it('has a suite, or a reason why not, for every block of code', () => {
    expect(blocksOf(page).map(problemWith).filter(Boolean)).toEqual([])
  })
})

it('finds the tutorials and how-tos', () => expect(stepByStep.length).toBeGreaterThan(14))

it('keeps README and guides within 30,000 words in all', () => {
  const words = ['README.md', 'docs/README.md', ...allPages].map((page) =>
    wordsIn(readFileSync(page, 'utf8')),
  )
  expect(words.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(30_000)
})

it('counts words of prose and tables only, without figures', () => {
  expect(
    wordsIn(
      'Two words, 31,028 requests <!-- not these -->\n\n```sh\nnor these\n```\n\n| a | [b](c.md) |\n| - | - |',
    ),
  ).toBe(5)
})

it('finds a block that no suite runs', () => {
  const block = { page: 'docs/ci.md', language: 'yaml', code: 'a: 1\n', suite: undefined, reason: undefined }
  expect(problemWith(block)).toContain('no suite runs')
  expect(problemWith({ ...block, suite: 'test/no-such-suite' })).toContain('does not exist')
  expect(problemWith({ ...block, suite: 'LICENSE' })).toContain('does not read')
  expect(problemWith({ ...block, reason: 'test/recipes/run checks it' })).toBeUndefined()
})
