import { crc32 } from 'node:zlib'
import { open } from 'node:fs/promises'
import { apply, type Entry, type Worlds } from './entries.ts'

const SEALED = /^\{"crc":"([0-9a-f]{8})",/
const PREFIX = '{"crc":"00000000",'.length

/**
 * The checksums of a file's lines, each a JSON object that begins with its own. It covers the lines before too, so that one
 * that is missing, doubled or moved is found as well.
 */
export class Checksums {
  #last = 0

  /** The line for an object's JSON. */
  seal(json: string): string {
    const rest = json.slice(1)
    this.#last = crc32(rest, this.#last)
    return `{"crc":"${hex(this.#last)}",${rest}`
  }

  /** What is wrong with the next line; undefined when nothing is. */
  complaint(line: string): string | undefined {
    const named = SEALED.exec(line)?.[1]
    if (named === undefined) return 'it must begin with a checksum'
    this.#last = crc32(line.slice(PREFIX), this.#last)
    const found = hex(this.#last)
    return found === named ? undefined : `its checksum is ${named}, and that of what is there ${found}`
  }
}

const hex = (sum: number) => sum.toString(16).padStart(8, '0')

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

const FORMAT = 'payments-sandbox rows, one entry a line'
/** Of the files' form; a file of another version is refused. */
const VERSION = 2

export const WHAT_TO_DO = 'Put back a copy of the files, or move them away to begin with none.'

/** The first entry of each file. The snapshot file of generation n holds all that was kept before log n began. */
interface Header {
  readonly format: string
  readonly version: number
  readonly generation: number
}

/** A file that rows cannot be kept in; the message says why and what to do. */
export class UnusableFile extends Error {}

/** A file that is there but cannot be read as one of this store. */
export class BrokenFile extends UnusableFile {}

export function headerOf(generation: number): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, generation } satisfies Header)
}

/** Reads the lines of one file in their order. */
export class LineReader {
  readonly #path: string
  readonly #remedy: (line: number) => string
  /** Undefined for a file without a line. */
  sums: Checksums | undefined

  /** @param remedy what to do about a broken line, beside putting back a copy */
  constructor(path: string, remedy: (line: number) => string = () => '') {
    this.#path = path
    this.#remedy = remedy
  }

  /** The generation that a file's first line names. */
  generation(line: Line, text: string): number {
    const header = this.#parsed(line, text) as Header | null
    if (header?.format !== FORMAT || !Number.isSafeInteger(header.generation))
      throw new BrokenFile(
        `${this.#path} line 1 must have the format "${FORMAT}" and a generation. ${WHAT_TO_DO}`,
      )
    if (header.version !== VERSION)
      throw new BrokenFile(
        `${this.#path} has version ${header.version}; this sandbox reads version ${VERSION}. Start the sandbox that wrote it, or move the files away to begin with none.`,
      )
    this.sums = new Checksums()
    this.#check(line, text)
    return header.generation
  }

  /** Does to the worlds what a line says. */
  apply(line: Line, text: string, worlds: Worlds): void {
    this.#check(line, text)
    const entry = this.#parsed(line, text) as Entry
    try {
      apply(entry, worlds)
    } catch (error) {
      throw new BrokenFile(`${this.#path} line ${line.number}: ${(error as Error).message}. ${WHAT_TO_DO}`)
    }
  }

  /** Whether a line is the last entry of a snapshot file. */
  isEnd(line: Line, text: string): boolean {
    this.#check(line, text)
    return (this.#parsed(line, text) as { end?: unknown } | null)?.end === true
  }

  #check(line: Line, text: string): void {
    const complaint = this.sums?.complaint(text)
    if (complaint) throw this.#broken(line, complaint)
  }

  #parsed(line: Line, text: string): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw this.#broken(line, (error as Error).message)
    }
  }

  #broken({ number }: Line, why: string): BrokenFile {
    return new BrokenFile(
      `${this.#path} line ${number} is broken: ${why}. ${WHAT_TO_DO}${this.#remedy(number)}`,
    )
  }
}
