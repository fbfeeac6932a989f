import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tracked } from '../support/tracked.ts'

/** Turns of phrase to avoid, each with a plainer alternative. */
const advice: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [
    /(?:^|[.;:!?)]\s+)what (?:is|was|the|an?|its?|comes|has|each|one|they|this|that|there|to)\b/gim,
    'start with the noun',
  ],
  [/\b(?:who|what|which|whom)ever\b/gi, 'name the role: caller, payer, client'],
  [/\b(?:no|some)body\b/gi, 'name the role, or no one'],
  [/\bbeside\b/gi, 'next to, in addition to'],
  [
    /\b(?:is|are|was|were|be|been|being) (?:told|asked|said|owed|meant|left out|let be|looked at)\b/gi,
    'active voice',
  ],
  [/\b(?:says|tells|asks|wants|stands|speaks)\b/gi, 'contains, returns, requires'],
  [/\b(?:those|that) of\b|\bone that\b/gi, 'repeat the noun'],
  [/\b(?:comes?|came) (?:to|of|out)\b|\b(?:goes|go|went) (?:on|by|out|beyond)\b/gi, 'a verb of its own'],
  [/\bof (?:its|their) own\b/gi, 'separate'],
  [/\bso (?:many|much|long|far)\b(?! (?:that|as))/gi, 'at most, up to'],
  [/\bwhen left out\b/gi, 'by default, if omitted'],
]

const blank = (text: string) => text.replace(/[^\n]/g, ' ')
const withoutCode = (text: string) => text.replace(/```[\s\S]*?```/g, blank).replace(/`[^`\n]*`/g, 'x')
const matches = (pattern: RegExp) => (text: string) =>
  [...text.matchAll(pattern)].map(([all]) => all).join('\n')
const comments = /\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*$/gm
const literals = /'(?:[^'\\\n]|\\.){12,}'|`(?:[^`\\]|\\.){12,}`/g
const names = /\b(?:it|test|describe)(?:\.\w+)*\(\s*(['"`])(?:[^\\]|\\.)*?\1/g

/** Hits per 1,000 words of each kind of text. Lower a ceiling when its texts improve. */
const kinds: readonly (readonly [
  kind: string,
  ceiling: number,
  files: RegExp,
  read: (text: string) => string,
])[] = [
  ['documentation', 1, /^(?!test\/|src\/|CHANGELOG).*\.md$/, withoutCode],
  ['descriptions', 1, /^openapi\/.*\.yaml$/, withoutCode],
  [
    'comments',
    2.5,
    /^(src|dashboard|embed|openapi|build|bench)\/(?!generated).*\.(tsx?|mjs)$/,
    matches(comments),
  ],
  [
    'texts',
    1,
    /^(src|dashboard|embed)\/(?!generated).*\.tsx?$/,
    (text) => matches(literals)(text.replace(comments, '')),
  ],
  ['test names', 2, /^test\/.*\.test\.ts$/, matches(names)],
]

describe('marks of stilted English per 1,000 words', () => {
  it.each(kinds)('%s: at most %d', (_, ceiling, files, read) => {
    const texts = tracked()
      .filter((path) => files.test(path))
      .map((path) => [path, read(readFileSync(path, 'utf8'))] as const)
    const words = texts.reduce((sum, [, text]) => sum + (text.match(/[A-Za-z']+/g)?.length ?? 0), 0)
    const hits = texts.flatMap(([path, text]) =>
      advice.flatMap(([pattern, instead]) =>
        (text.match(pattern) ?? []).map((hit) => `${path}: ${hit.trim()} (${instead})`),
      ),
    )
    expect((hits.length * 1000) / words, hits.slice(0, 40).join('\n')).toBeLessThanOrEqual(ceiling)
  })

  it.each([
    ['What is told here.', 2],
    ['Whoever asks gets that of the other, when left out.', 4],
    ['Returns the newest callback, or `null` if there is none.', 0],
  ])('%j has %d', (text, count) => {
    expect(advice.flatMap(([pattern]) => text.match(pattern) ?? [])).toHaveLength(count)
  })
})

describe('retired words', () => {
  const retired = /\b(?:magic (?:values?|numbers?)|look-ups?|owed|older generation)\b/gi
  it.each(tracked().filter((path) => /^docs\/(?!decisions\/).*\.md$|^README\.md$/.test(path)))(
    '%s has none',
    (path) => {
      expect(withoutCode(readFileSync(path, 'utf8')).match(retired) ?? []).toEqual([])
    },
  )
})
