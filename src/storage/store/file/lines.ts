import { open } from 'node:fs/promises'

const NEWLINE = 10

/** One line of a file; `start` is the offset of its first byte. */
export interface Line {
  readonly text: string
  readonly number: number
  readonly start: number
  /** False for a last line that has no newline: its writing was cut short. */
  readonly complete: boolean
}

/** The lines of a file, one by one, so that a file of any size can be read. Nothing when there is no file. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (file) yield* linesIn(file.createReadStream({ highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
}

/** The lines of what comes in pieces. */
export async function* linesIn(pieces: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let number = 0
  let start = 0
  const line = (complete: boolean): Line => {
    const bytes = Buffer.concat(parts)
    parts = []
    number += 1
    const found = { text: bytes.toString('utf8'), number, start, complete }
    start += bytes.length + 1
    return found
  }
  for await (const chunk of pieces) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at))
      from = at + 1
      yield line(true)
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  if (parts.length > 0) yield line(false)
}
