import { readFile } from 'node:fs/promises'
import { Seed as SeedSchema } from '../generated/control/schemas.ts'
import { suggest } from '../suggest.ts'
import type { Issue } from '../validation-messages.ts'
import type { YamlLimits } from '../yaml-text.ts'
import { pathText, seedIssues, toldOf } from './seed-check.ts'
import type { Seed } from './seed.ts'

/** A seed file that cannot be used; the message has a line for each issue: file, line, column, what and where. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
}

/** What a seed may be: some ten thousand Teams. */
const LIMITS: YamlLimits = { characters: 10_485_760, signs: Infinity }

/** Reads a seed file, YAML or JSON. @throws SeedError */
export async function readSeedFile(file: string): Promise<Seed> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new SeedError(
      code === 'ENOENT'
        ? `${file}: there is no such file; give the path of a YAML or JSON file, or leave it out for the seed that is built in`
        : `${file}: cannot be read: ${message}`,
    )
  }
  return readSeed(text, file)
}

/** @param file the name that issues are reported under */
export async function readSeed(text: string, file: string): Promise<Seed> {
  const { isMap, isNode } = (await import('yaml')).default
  const { readYaml } = await import('../yaml-text.ts')
  const read = readYaml(text, LIMITS)
  if ('issues' in read)
    throw new SeedError(
      toldOf(read.issues, ({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'),
    )
  const { document, value } = read
  const place = (offset: number) => {
    const { line, column } = read.place(offset)
    return `${file}:${line}:${column}`
  }

  /** The nearest node that is there: of a missing field, the object that should have it. */
  const where = ({ path, on_key }: Issue): string => {
    const parent = document.getIn(keysOf(path.slice(0, -1)), true)
    const pair =
      on_key && isMap(parent) ? parent.items.find(({ key }) => String(key) === path.at(-1)) : undefined
    if (isNode(pair?.key) && pair.key.range) return place(pair.key.range[0])
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(keysOf(path.slice(0, length)), true)
      if (isNode(node) && node.range) return place(node.range[0])
    }
    return place(0)
  }
  const refuse = (issues: readonly Issue[]) => {
    if (issues.length === 0) return
    throw new SeedError(
      toldOf(issues, (issue) => `${where(issue)}: ${pathText(issue.path)} ${issue.message}`).join('\n'),
    )
  }
  const result = SeedSchema().safeParse(value, { reportInput: true })
  if (!result.success) refuse(result.error.issues.flatMap((issue) => issuesOf(issue as SchemaIssue)))
  const seed = result.data as Seed
  refuse(seedIssues(seed))
  return seed
}

/** Keys of a mapping such as `1: 4` are numbers in YAML and texts in JSON. */
const keysOf = (path: readonly (string | number)[]) =>
  path.map((key, n) => (path[n - 1] === 'members' && /^\d+$/.test(String(key)) ? Number(key) : key))

interface SchemaIssue {
  readonly code: string
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly input?: unknown
  readonly keys?: readonly string[]
}

function issuesOf({ code, path, message, input, keys = [] }: SchemaIssue): Issue[] {
  if (code === 'unrecognized_keys') {
    const known = wordsAt(path)
    return keys.map((key) => {
      const meant = suggest(key, known)
      return {
        path: [...path, key],
        on_key: true,
        message: `is not known here${meant ? `; did you mean ${meant}?` : ''}; known are ${known.join(', ')}`,
      }
    })
  }
  if (input === undefined) return [{ path, message: 'is required' }]
  return [{ path, message: `${message.toLowerCase()}, got ${shown(input)}` }]
}

const LONGEST_SHOWN = 80

function shown(input: unknown): string {
  const text = JSON.stringify(input)
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

/** The words that the schema has at a path. */
function wordsAt(path: readonly (string | number)[]): readonly string[] {
  let schema: unknown = SeedSchema()
  for (const key of path) {
    schema = unwrapped(schema)
    const { element, shape } = schema as { element?: unknown; shape?: Record<string, unknown> }
    schema = typeof key === 'number' ? element : shape?.[key]
  }
  return Object.keys((unwrapped(schema) as { shape?: object } | undefined)?.shape ?? {})
}

function unwrapped(schema: unknown): unknown {
  const { unwrap } = (schema ?? {}) as { unwrap?: () => unknown }
  const optional = (schema as { type?: string } | undefined)?.type === 'optional'
  return optional && unwrap ? unwrapped((schema as { unwrap(): unknown }).unwrap()) : schema
}
