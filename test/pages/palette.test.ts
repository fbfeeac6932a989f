import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { palette } from '../../src/lib/palette.ts'
import { tokens } from '../../src/pages/tokens.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const below = (folder: string, ending: RegExp) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => ending.test(path))

const styled = [
  ...below('src/pages', /\.ts$/),
  ...below('dashboard', /\.(css|tsx?)$/),
  ...below('embed', /\.(css|tsx?)$/),
  ...below('browser', /\.css$/),
  'src/worlds/mails.ts',
]

/** Colours as numbers, and the names of those that somebody may write in passing. */
const LITERAL =
  /#(?:[\da-f]{8}|[\da-f]{6}|[\da-f]{3,4})\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(|:\s*(?:white|black|red|green|blue|gray|grey)\b/gi

it.each(styled)('%s has no colours of its own', (file) => {
  expect(readFileSync(root + file, 'utf8').match(LITERAL) ?? []).toEqual([])
})

const namesIn = (text: string) => [...text.matchAll(/(--[\w-]+)\s*:/g)].map(([, name]) => name!)
const defined = new Set([
  ...namesIn(tokens),
  ...styled.flatMap((file) => namesIn(readFileSync(root + file, 'utf8'))),
])
/** Tokens of the viewer, of a page that embeds, and of the style attributes in dashboard/parts. */
const theirs = /^--(?:(?:scalar|visible|payments-sandbox)-|(?:rest|share|spare)$)/

it.each(styled)('%s only uses defined tokens', (file) => {
  const used = [...readFileSync(root + file, 'utf8').matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!)
  expect(used.filter((name) => !defined.has(name) && !theirs.test(name))).toEqual([])
})

type Name = keyof typeof palette

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

const grounds: readonly Name[] = ['back', 'ground', 'tint', 'card', 'hover', 'chosen']
const pairs: readonly (readonly [on: Name, what: Name, least: number])[] = [
  ...grounds.flatMap((on) =>
    (['text', 'soft', 'link', 'bad', 'good'] as const).map((what) => [on, what, 4.5] as const),
  ),
  ...(['good', 'bad', 'wait', 'info'] as const).map((what) => [`${what}-back`, what, 4.5] as const),
  ...(['wait', 'info', 'gold', 'violet'] as const).flatMap((what) =>
    (['back', 'card', 'tint'] as const).map((on) => [on, what, 4.5] as const),
  ),
  ...(['accent', 'accent-hover', 'bank'] as const).map((on) => [on, 'on-accent', 4.5] as const),
  ...(['operator-green', 'operator-red', 'operator-yellow', 'operator-blue'] as const).map(
    (what) => ['card', what, 4.5] as const,
  ),
  ['screen-off', 'on-screen-off', 4.5],
  // What is no text: an edge that says where to type, and the ring around what has the focus.
  ...(['back', 'card', 'ground'] as const).map((on) => [on, 'field', 3] as const),
  ...grounds.map((on) => [on, 'link', 3] as const),
]

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('in the %s', (_name, scheme) => {
  it.each(pairs)('has contrast on %s: %s, at least %d', (on, what, least) => {
    expect(contrast(palette[on][scheme], palette[what][scheme])).toBeGreaterThanOrEqual(least)
  })
})
