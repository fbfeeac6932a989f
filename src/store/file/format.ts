import { apply, type Entry, type Worlds } from './entries.ts'
import type { Line } from './lines.ts'

const FORMAT = 'payments-sandbox rows, one entry a line'

export const WHAT_TO_DO = 'Put back a copy of the files, or move them away to begin with none.'

/** The first entry of each file. The whole of generation n holds all that was kept before log n began. */
interface Header {
  readonly format: string
  readonly generation: number
}

/** A file that rows cannot be kept in; the message says why and what to do. */
export class UnusableFile extends Error {}

/** A file that is there but cannot be read as one of this store. */
export class BrokenFile extends UnusableFile {}

export function headerOf(generation: number): string {
  return JSON.stringify({ format: FORMAT, generation } satisfies Header)
}

/** The generation that a file's first line names. */
export function generationIn(path: string, line: Line, text: string): number {
  const header = parsed(path, line, text) as Header | null
  if (header?.format === FORMAT && Number.isSafeInteger(header.generation)) return header.generation
  throw new BrokenFile(`${path} line 1 must have the format "${FORMAT}" and a generation. ${WHAT_TO_DO}`)
}

/** Does to the worlds what a line says. */
export function applyLine(path: string, line: Line, text: string, worlds: Worlds): void {
  const entry = parsed(path, line, text) as Entry
  try {
    apply(entry, worlds)
  } catch (error) {
    throw new BrokenFile(`${path} line ${line.number}: ${(error as Error).message}. ${WHAT_TO_DO}`)
  }
}

function parsed(path: string, line: Line, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BrokenFile(`${path} line ${line.number} is broken: ${(error as Error).message}. ${WHAT_TO_DO}`)
  }
}
