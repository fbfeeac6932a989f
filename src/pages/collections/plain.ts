import type { Part } from '../viewer/description.ts'

type Path = readonly (string | number)[]
type Change = { readonly path: Path } & ({ readonly update: Part } | { readonly remove: true })

const SERVER = { url: 'https://service.example', description: 'The service.' }

/**
 * Returns the overlay (OpenAPI Overlay 1.0.0) that removes the sandbox's additions from the service's description.
 * Assumptions about the service stay marked.
 */
export const overlayOf = (description: Part) => ({
  overlay: '1.0.0',
  info: { title: 'The service without the additions of the sandbox', version: description.info.version },
  extends: '/openapi.json',
  actions: changesOf(description).map(({ path, ...change }) => ({ target: jsonPath(path), ...change })),
})

/** Returns the service's description without the sandbox's additions. */
export function plainOf(description: Part): Part {
  const plain = structuredClone(description)
  for (const { path, ...change } of changesOf(description)) {
    const within = (to: Path) => to.reduce((at: Part, key) => at[key], plain)
    if ('update' in change) Object.assign(within(path), change.update)
    else delete within(path.slice(0, -1))[path.at(-1)!]
  }
  return plain
}

function changesOf(description: Part): readonly Change[] {
  const changes: Change[] = [
    { path: ['externalDocs'], remove: true },
    { path: ['info', 'contact'], remove: true },
    { path: ['servers'], remove: true },
    { path: [], update: { servers: [SERVER] } },
    { path: ['info'], update: plainInfo(description.info) },
  ]
  gather(changes, description, [])
  return changes
}

/** Sections of the general description that stay. */
const KEPT = /^### (How sure|Conventions)/

function plainInfo({ title, description }: Part): Part {
  const kept = description.split(/\n(?=### )/).filter((section: string) => KEPT.test(section))
  const told = plainText(kept.join('\n').replace('Chosen by the sandbox; do not rely', 'Do not rely'))
  return { title: title.replace(/ \(sandbox\)$/, ''), summary: SUMMARY, description: told }
}

const SUMMARY = 'Collect money, pay it out and manage Teams.'

const texts = ['summary', 'description', 'x-provenance-note']
/** Extensions that address code generators, not the service. */
const own = /^x-(?!provenance)/
const data = ['example', 'default', 'enum', 'const']

function gather(changes: Change[], part: Part, path: Path): void {
  if (typeof part !== 'object' || part === null) return
  const told: Record<string, string> = {}
  for (const [key, value] of Object.entries<Part>(part)) {
    const here = [...path, Array.isArray(part) ? Number(key) : key]
    if (own.test(key)) changes.push({ path: here, remove: true })
    else if (texts.includes(key) && typeof value === 'string') {
      const plain = plainText(value)
      if (plain === '') changes.push({ path: here, remove: true })
      else if (plain !== value) told[key] = plain
    } else if (key === 'examples') gatherExamples(changes, value, here)
    else if (!data.includes(key) && !removed(path, key)) gather(changes, value, here)
  }
  if (Object.keys(told).length > 0) changes.push({ path, update: told })
}

const removed = (path: Path, key: string) =>
  path.length === 0 && ['info', 'servers', 'externalDocs'].includes(key)

/** Removes examples about the sandbox, and replaces addresses of its pages. */
function gatherExamples(changes: Change[], examples: Part, path: Path): void {
  if (Array.isArray(examples)) {
    const elsewhere = examples.map((each: Part) => (typeof each === 'string' ? each.replace(LOCAL, PAGES) : each))
    if (!elsewhere.some((each, at) => each !== examples[at])) return
    // An overlay appends lists instead of replacing them.
    changes.push({ path, remove: true }, { path: path.slice(0, -1), update: { examples: elsewhere } })
    return
  }
  for (const [name, example] of Object.entries<Part>(examples)) {
    const here = [...path, name]
    if (isOwn(JSON.stringify(example))) changes.push({ path: here, remove: true })
    else gatherPages(changes, example, here)
  }
}

const LOCAL = /^http:\/\/127\.0\.0\.1:\d+\//
const PAGES = 'https://checkout.example/'

function gatherPages(changes: Change[], part: Part, path: Path): void {
  if (typeof part !== 'object' || part === null) return
  for (const [key, value] of Object.entries<Part>(part)) {
    if (typeof value === 'string' && LOCAL.test(value))
      changes.push({ path, update: { [key]: value.replace(LOCAL, PAGES) } })
    else gatherPages(changes, value, [...path, Array.isArray(part) ? Number(key) : key])
  }
}

/** Formats a normalized path (RFC 9535). */
const jsonPath = (path: Path): string =>
  `$${path.map((key) => (typeof key === 'number' ? `[${key}]` : `['${key.replace(/[\\']/g, '\\$&')}']`)).join('')}`

/** Words about the sandbox itself. */
const OWN = /sandbox|\bPrefer\b|\bscenario|\/docs\b|\blenient\b|x-lenient/i

/** A sentence with its trailing space. Full stops in code do not end it. */
const SENTENCE = /(?:`[^`]*`|[^.!?`]|[.!?](?!\s|$))+(?:[.!?]+|$)\s*/g

const HEADING = '###'

/** Removes whole sentences, list items and table rows about the sandbox. */
function plainText(text: string): string {
  if (!OWN.test(text)) return text
  const sections = text
    .split(/\n(?=### )/)
    .map((section) => section.split(/\n\n+/).map(plainBlock).filter(Boolean))
  // A heading without content is removed as well.
  const left = sections.filter((blocks) => blocks.length > 1 || !(blocks[0] ?? HEADING).startsWith(HEADING))
  return left.map((blocks) => blocks.join('\n\n')).join('\n\n')
}

function plainBlock(block: string): string {
  if (block.startsWith(HEADING)) return block
  const points = block.split(/\n(?=[-|] ?)/)
  if (/^[-|]/.test(block)) return points.filter((point) => !OWN.test(point)).join('\n')
  return (block.match(SENTENCE) ?? [])
    .filter((sentence) => !OWN.test(sentence))
    .join('')
    .trim()
}

const isOwn = (text: string): boolean => OWN.test(text)
