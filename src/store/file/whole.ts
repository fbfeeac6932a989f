import { open, rename } from 'node:fs/promises'
import type { WorldRows } from '../store.ts'
import { entriesOf, type Worlds } from './entries.ts'
import { applyLine, BrokenFile, generationIn, headerOf, WHAT_TO_DO } from './format.ts'
import { linesOf } from './lines.ts'

/** Characters that go out in one write. */
const PIECE = 1 << 18

/**
 * Writes a JSON array of the header and the entries that make these worlds, one a line, and puts it in the place
 * of the old file when it is complete. Returns its bytes.
 */
export async function writeWhole(
  path: string,
  generation: number,
  worlds: ReadonlyMap<string, () => WorldRows>,
): Promise<number> {
  const file = await open(`${path}.new`, 'w')
  try {
    let text = `[${headerOf(generation)}\n`
    for (const entry of entriesOf(worlds)) {
      text += `,${JSON.stringify(entry)}\n`
      if (text.length < PIECE) continue
      await file.appendFile(text)
      text = ''
    }
    await file.appendFile(`${text}]\n`)
    await file.sync()
    const { size } = await file.stat()
    await rename(`${path}.new`, path)
    return size
  } finally {
    await file.close()
  }
}

/** Reads the whole into the worlds. Returns its generation, 0 when there is no file or an empty one. */
export async function readWhole(path: string, worlds: Worlds): Promise<number> {
  let generation = 0
  let last = ']'
  for await (const line of linesOf(path)) {
    last = line.text
    // Each line begins with the array's bracket or comma, so it can be read without the others.
    if (line.number === 1) generation = generationIn(path, line, last.slice(1))
    else if (last !== ']') applyLine(path, line, last.slice(1), worlds)
  }
  if (last !== ']') throw new BrokenFile(`${path} has no end: its last line must be "]". ${WHAT_TO_DO}`)
  return generation
}
