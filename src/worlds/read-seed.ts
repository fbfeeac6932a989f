import { readFile } from 'node:fs/promises'
import { Seed as SeedSchema } from '../generated/control/schemas.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { type Issue, issuesOf, reporting, toldOf } from '../lib/text/validation-messages.ts'
import type { YamlLimits, YamlPlace } from '../lib/text/yaml-text.ts'
import { seedIssues, seedSentence } from './seeds.ts'
import type { Seed } from '../generated/control/types.ts'

/** An invalid seed file. The message has a line for each issue, with file, line and column. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
}

/** Enough for some ten thousand Teams. */
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
        ? `${file}: no such file; pass the path of a YAML or JSON file, or omit it to use the built-in seed`
        : `${file}: cannot be read: ${message}`,
    )
  }
  return readSeed(text, file)
}

/** @param file - The name of the file in messages. */
export async function readSeed(text: string, file: string): Promise<Seed> {
  const { readYaml } = await import('../lib/text/yaml-text.ts')
  const read = readYaml(text, LIMITS)
  if ('issues' in read)
    throw new SeedError(toldOf(read.issues, (issue) => line(file, issue, issue.message)).join('\n'))
  const placed = (issue: Issue, message: string) => line(file, read.place(issue.path, issue.on_key), message)

  const result = SeedSchema().safeParse(read.value, reporting)
  if (!result.success) {
    const { told, more } = issuesOf(result.error, { name: fieldPath })
    throw new SeedError(toldOf(told, (issue) => placed(issue, issue.message), more).join('\n'))
  }
  const seed: Seed = result.data
  const issues = seedIssues(seed)
  if (issues.length > 0)
    throw new SeedError(toldOf(issues, (issue) => placed(issue, seedSentence(issue))).join('\n'))
  return seed
}

/** Validates a seed that was parsed before. @param name - The name of the seed in messages. @throws SeedError */
export function readSeedValue(value: unknown, name: string): Seed {
  const result = SeedSchema().safeParse(value, reporting)
  if (!result.success) {
    const { told, more } = issuesOf(result.error, { name: (path) => fieldPath([name, ...path]) })
    throw new SeedError(
      toldOf(told, (issue) => (issue.on_key ? keyed(issue, name) : issue.message), more).join('\n'),
    )
  }
  const issues = seedIssues(result.data)
  if (issues.length > 0)
    throw new SeedError(toldOf(issues, (issue) => seedSentence(issue, [name])).join('\n'))
  return result.data
}

/** Adds the path to messages about unknown keys that lack it. */
function keyed({ path, message }: Issue, name: string): string {
  const place = fieldPath([name, ...path])
  return message.startsWith(place) ? message : `${place} ${message}`
}

const line = (file: string, at: YamlPlace, message: string) => `${file}:${at.line}:${at.column}: ${message}`
