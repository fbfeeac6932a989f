import { Checksums } from './checksum.ts'
import { apply, type Entry, type Worlds } from './entries.ts'
import type { Line } from './lines.ts'

const FORMAT = 'payments-sandbox rows, one entry a line'
/** Since 2 each line has a checksum and a snapshot file has a log beside it. */
const VERSION = 2

export const WHAT_TO_DO = 'Put back a copy of the files, or move them away to begin with none.'

/** The first entry of each file. The snapshot file of generation n holds all that was kept before log n began. */
interface Header {
  readonly format: string
  /** 1 when left out. */
  readonly version?: number
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
  /** Undefined for a file of version 1, which has none. */
  sums: Checksums | undefined

  /** @param remedy what to do about a broken line, beside putting back a copy */
  constructor(path: string, remedy: (line: number) => string = () => '') {
    this.#path = path
    this.#remedy = remedy
  }

  /** The generation that a file's first line names. */
  generation(line: Line, text: string): number {
    const header = this.#parsed(line, text) as (Header & { crc?: string }) | null
    const version = header?.version ?? 1
    if (header?.format !== FORMAT || !Number.isSafeInteger(header.generation))
      throw new BrokenFile(
        `${this.#path} line 1 must have the format "${FORMAT}" and a generation. ${WHAT_TO_DO}`,
      )
    if (version > VERSION)
      throw new BrokenFile(
        `${this.#path} has version ${version}; this sandbox reads up to ${VERSION}. Start it with a newer one, or move the files away to begin with none.`,
      )
    if (version > 1 || header.crc !== undefined) {
      this.sums = new Checksums()
      this.#check(line, text)
    }
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
