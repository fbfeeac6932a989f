import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Returns the files below `folders`, relative to the root of this checkout, without those that Git ignores: suites install
 * packages in their folders.
 */
export const tracked = (...folders: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path))

/** Returns the files below `folder`, relative to it. */
export const trackedIn = (folder: string): readonly string[] =>
  tracked(folder).map((path) => path.slice(folder.length + 1))
