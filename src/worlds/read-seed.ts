import { readFile } from 'node:fs/promises'
import { Seed as SeedSchema } from '../generated/control/schemas.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { type Checked, checked, type Issue, toldOf } from '../lib/text/validation-messages.ts'
import type { YamlIssue, YamlLimits } from '../lib/text/yaml-text.ts'
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
  const { checkedYaml } = await import('../lib/text/yaml-text.ts')
  const read = checkedYaml(text, LIMITS, checkSeed)
  if ('file' in read) return read.file
  const line = (at: YamlIssue) => `${file}:${at.line}:${at.column}: ${at.message}`
  throw new SeedError(toldOf(read.issues, line, read.more).join('\n'))
}

function checkSeed(value: unknown): Checked<Seed> {
  const read = checked(SeedSchema(), value, fieldPath)
  if ('issues' in read) return read
  const issues = seedIssues(read.file).map((issue) => ({ ...issue, message: seedSentence(issue) }))
  return issues.length > 0 ? { issues, more: 0 } : read
}

/** Validates a seed that was parsed before. @param name - The name of the seed in messages. @throws SeedError */
export function readSeedValue(value: unknown, name: string): Seed {
  const read = checked(SeedSchema(), value, (path) => fieldPath([name, ...path]))
  if ('issues' in read) {
    const { issues, more } = read
    throw new SeedError(
      toldOf(issues, (issue) => (issue.on_key ? keyed(issue, name) : issue.message), more).join('\n'),
    )
  }
  const issues = seedIssues(read.file)
  if (issues.length > 0)
    throw new SeedError(toldOf(issues, (issue) => seedSentence(issue, [name])).join('\n'))
  return read.file
}

/** Adds the path to messages about unknown keys that lack it. */
function keyed({ path, message }: Issue, name: string): string {
  const place = fieldPath([name, ...path])
  return message.startsWith(place) ? message : `${place} ${message}`
}
