import { rename, rm } from 'node:fs/promises'
import type { WorldRows } from '../store.ts'
import { BrokenFile, Checksums, headerOf, LineReader, linesOf, WHAT_TO_DO } from './format.ts'
import { MODE, type OpenFile, syncFolder } from './log-file.ts'
import { entriesOf, type Worlds } from './entries.ts'

/** Characters that go out in one write. */
const PIECE = 1 << 18
/** The last entry: it has the checksum of all before it. */
const END = JSON.stringify({ end: true })

interface WriteOptions {
  readonly open: OpenFile
  /** Where it is written before it takes its place. */
  readonly draft: string
  /** Waited for before the file takes its place; what it throws leaves the old one there. */
  readonly check: () => Promise<void> | undefined
}

/**
 * Writes a JSON array of the header and the entries that make these worlds, one a line, and puts it in the place
 * of the old file when it is complete and on the disk. Returns its bytes.
 */
export async function writeSnapshotFile(
  path: string,
  generation: number,
  worlds: ReadonlyMap<string, () => WorldRows>,
  { open, draft, check }: WriteOptions,
): Promise<number> {
  const sums = new Checksums()
  const file = await open(draft, 'w', MODE)
  try {
    let text = `[${sums.seal(headerOf(generation))}\n`
    for (const entry of entriesOf(worlds)) {
      text += `,${sums.seal(JSON.stringify(entry))}\n`
      if (text.length < PIECE) continue
      await file.appendFile(text)
      text = ''
    }
    await file.appendFile(`${text},${sums.seal(END)}\n]\n`)
    await file.sync()
    const { size } = await file.stat()
    await check()
    await rename(draft, path)
    await syncFolder(path)
    return size
  } catch (error) {
    // What could not be finished takes room that is missing.
    await rm(draft, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

interface SnapshotFile {
  /** 0 when there is no file or an empty one. */
  readonly generation: number
  /** Whether a log has to be beside it. */
  readonly hasLog: boolean
}

/** Reads the snapshot file into the worlds. */
export async function readSnapshotFile(path: string, worlds: Worlds): Promise<SnapshotFile> {
  const reader = new LineReader(path)
  let generation = 0
  let ended = false
  let last = ']'
  for await (const line of linesOf(path)) {
    last = line.text
    // Each line begins with the array's bracket or comma, so it can be read without the others.
    const text = last.slice(1)
    if (line.number === 1) generation = reader.generation(line, text)
    else if (last !== ']' && text.endsWith(END.slice(1))) ended = reader.isEnd(line, text)
    else if (last !== ']') reader.apply(line, text, worlds)
  }
  const complete = last === ']' && (ended || !reader.sums)
  if (!complete) throw new BrokenFile(`${path} has no end: its last line must be "]". ${WHAT_TO_DO}`)
  return { generation, hasLog: reader.sums !== undefined }
}
