import { readFile } from 'node:fs/promises'
import { Seed as SeedSchema } from '../generated/control/schemas.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { type Issue, issuesOf, reporting, toldOf } from '../lib/text/validation-messages.ts'
import type { YamlLimits, YamlPlace } from '../lib/text/yaml-text.ts'
import { seedIssues, seedSentence } from './seeds.ts'
import type { Seed } from '../generated/control/types.ts'

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

/**
 * Checks a seed that is a value already. @param name what it is called
 * @throws SeedError with a line for each issue: where it is, what it is and what is accepted
 */
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

/** What is said of a key does not always name it. */
function keyed({ path, message }: Issue, name: string): string {
  const place = fieldPath([name, ...path])
  return message.startsWith(place) ? message : `${place} ${message}`
}

const line = (file: string, at: YamlPlace, message: string) => `${file}:${at.line}:${at.column}: ${message}`
