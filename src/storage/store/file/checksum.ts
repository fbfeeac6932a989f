import { crc32 } from 'node:zlib'

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
