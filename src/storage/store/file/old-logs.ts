import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Logs that were rotated and not compacted yet, in their order: `.log.old`, and those after it when that failed, numbered
 * by the generation that they led to.
 */
export async function oldLogsOf(path: string): Promise<string[]> {
  const prefix = `${basename(path)}.log.old`
  const numberOf = (name: string) => (name === prefix ? 0 : Number(name.slice(prefix.length + 1)))
  return (await namesBeside(path))
    .filter((name) => name === prefix || (name.startsWith(`${prefix}.`) && numberOf(name) > 0))
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .map((name) => join(dirname(path), name))
}

export const oldLogName = (path: string, generation: number, first: boolean) =>
  first ? `${path}.log.old` : `${path}.log.old.${generation}`

export const draftName = (path: string, unique: string) => `${path}.new-${unique}`

/** Removes drafts that never took their place. */
export async function removeDrafts(path: string): Promise<void> {
  const name = `${basename(path)}.new`
  for (const each of await namesBeside(path))
    if (each === name || each.startsWith(`${name}-`)) await rm(join(dirname(path), each), { force: true })
}

const namesBeside = (path: string) => readdir(dirname(path))
