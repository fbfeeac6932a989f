import { createReadStream } from 'node:fs'
import type { Process } from './process.ts'

/** What a file holds, or with `-` what the process is given, in pieces. @throws Error when it cannot be read */
export function piecesOf({ input }: Process, path: string): AsyncIterable<Buffer> {
  if (path !== '-') return createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>
  if (!input) throw new Error('There is no input to read. Name a file.')
  return input()
}
