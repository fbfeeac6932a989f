import { truncate } from 'node:fs/promises'
import type { Checksums } from './checksum.ts'
import type { Worlds } from './entries.ts'
import { BrokenFile, LineReader, WHAT_TO_DO } from './format.ts'
import { linesOf } from './lines.ts'

export interface Replayed {
  /** Whether it was of the generation asked for; an earlier one is in the worlds already, and so is an empty one. */
  readonly goesOn: boolean
  /** Where its checksums go on; undefined when it has none. */
  readonly sums: Checksums | undefined
}

/**
 * Does to the worlds what a log of this generation says, if there is one. A last line that was cut short is taken out of
 * the file: the process died while it wrote it, so nobody was told that it was kept.
 */
export async function replay(path: string, generation: number, worlds: Worlds): Promise<Replayed> {
  const reader = new LineReader(path, cutBefore(path))
  let goesOn = false
  for await (const line of linesOf(path)) {
    if (!line.complete) {
      await truncate(path, line.start)
    } else if (line.number > 1) {
      reader.apply(line, line.text, worlds)
    } else {
      const found = reader.generation(line, line.text)
      if (found < generation) return { goesOn: false, sums: undefined }
      if (found > generation) {
        throw new BrokenFile(
          `${path} goes on from newer rows (${found}) than there are (${generation}). ${WHAT_TO_DO}`,
        )
      }
      goesOn = true
    }
  }
  return { goesOn, sums: reader.sums }
}

const cutBefore = (path: string) => (line: number) =>
  line === 1
    ? ''
    : ` To go on without this line and all after it, keep those before: head -n ${line - 1} ${path}.`
