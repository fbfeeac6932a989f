import { truncate } from 'node:fs/promises'
import type { Worlds } from './entries.ts'
import { applyLine, BrokenFile, generationIn, WHAT_TO_DO } from './format.ts'
import { linesOf } from './lines.ts'

/**
 * Does to the worlds what a log of this generation says. Returns false when there is no such log, or one of
 * an earlier generation, which the worlds hold already. A last line that was cut short is taken out of the file:
 * the process died while it wrote it, so nobody was told that it was kept.
 */
export async function replay(path: string, generation: number, worlds: Worlds): Promise<boolean> {
  let replayed = false
  for await (const line of linesOf(path)) {
    if (!line.complete) {
      await truncate(path, line.start)
    } else if (line.number > 1) {
      applyLine(path, line, line.text, worlds)
    } else {
      const found = generationIn(path, line, line.text)
      if (found < generation) return false
      if (found > generation) {
        throw new BrokenFile(
          `${path} goes on from newer rows (${found}) than there are (${generation}). ${WHAT_TO_DO}`,
        )
      }
      replayed = true
    }
  }
  return replayed
}
