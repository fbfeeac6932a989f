import { type FileHandle, open, readdir, rename, rm, truncate } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BrokenFile, Checksums, LineReader, linesOf, WHAT_TO_DO } from './format.ts'
import type { Worlds } from './entries.ts'
import { StoreUnavailable } from '../store.ts'

/** How files are opened; a parameter so that tests can let a disk be full. */
export type OpenFile = typeof open

/** Nobody else may read what is kept: it has secrets. */
export const MODE = 0o600

/** Makes sure that a power cut does not undo what was created, renamed or removed beside `path`. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(dirname(path), 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    // Not every system can do this with a folder; there, the file alone has to do.
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(code)) throw error
  }
}

/**
 * Logs that were rotated and not compacted yet, in their order: `.log.old`, and those after it when that failed, numbered
 * by the generation that they led to.
 */
export async function oldLogsOf(path: string): Promise<string[]> {
  const prefix = `${basename(path)}.log.old`
  const numberOf = (name: string) => (name === prefix ? 0 : Number(name.slice(prefix.length + 1)))
  return (await namesBeside(path))
    .filter((name) => name === prefix || (name.startsWith(`${prefix}.`) && numberOf(name) > 0))
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .map((name) => join(dirname(path), name))
}

export const oldLogName = (path: string, generation: number, first: boolean) =>
  first ? `${path}.log.old` : `${path}.log.old.${generation}`

export const draftName = (path: string, unique: string) => `${path}.new-${unique}`

/** Removes drafts that never took their place. */
export async function removeDrafts(path: string): Promise<void> {
  const name = `${basename(path)}.new`
  for (const each of await namesBeside(path))
    if (each === name || each.startsWith(`${name}-`)) await rm(join(dirname(path), each), { force: true })
}

const namesBeside = (path: string) => readdir(dirname(path))

interface Replayed {
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

/** Lines that go out in one write; with `moveTo` the file is moved there first and a new one begun. */
interface Batch {
  readonly lines: string[]
  readonly moveTo: string | undefined
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export interface LogOptions {
  readonly open: OpenFile
  /** Whether each write is waited for until it is on the disk, where a power cut does not take it. */
  readonly sync: boolean
  /** Makes sure of the right to write; before a write, and after it, before anyone is told that it is kept. */
  readonly check: () => Promise<void> | undefined
  /** Told of the first write that failed, before those are that wait for it. */
  readonly onFailure: (failure: StoreUnavailable) => void
}

/** Bytes that there must be room for before writing goes on after a failure. */
const ROOM = 1 << 16

/**
 * A file that lines are appended to. While one write runs, further lines gather and go out in the next. After a
 * write that failed every later one is refused, so that no line is missing before one that is there.
 */
export class LogFile {
  readonly #path: string
  readonly #options: LogOptions
  #file: FileHandle
  #size: number
  #sums: Checksums
  #batches: Batch[] = []
  #running: Promise<void> | undefined
  #failure: StoreUnavailable | undefined

  private constructor(path: string, file: FileHandle, size: number, sums: Checksums, options: LogOptions) {
    this.#path = path
    this.#file = file
    this.#size = size
    this.#sums = sums
    this.#options = options
  }

  /** @param sums where the checksums of the lines that are there end */
  static async open(path: string, sums: Checksums, options: LogOptions): Promise<LogFile> {
    const file = await options.open(path, 'a', MODE)
    // An older one may have been open to all.
    await file.chmod(MODE).catch(() => {})
    return new LogFile(path, file, (await file.stat()).size, sums, options)
  }

  /** Bytes in the file that count. */
  get size(): number {
    return this.#size
  }

  /** Why nothing can be written any more. */
  get failure(): StoreUnavailable | undefined {
    return this.#failure
  }

  /** Resolves when the line, an object's JSON, is in the file; rejects when it is not and will not be. */
  append(json: string): Promise<void> {
    let batch = this.#batches.at(-1)
    if (!batch) this.#batches.push((batch = newBatch()))
    batch.lines.push(this.#sums.seal(json))
    this.#running ??= this.#run()
    return batch.done
  }

  /** After what was appended so far, renames the file to `oldPath` and begins a new one with this line. */
  rotate(oldPath: string, json: string): Promise<void> {
    const batch = newBatch(oldPath)
    this.#sums = new Checksums()
    batch.lines.push(this.#sums.seal(json))
    this.#batches.push(batch)
    this.#running ??= this.#run()
    return batch.done
  }

  /** Refuses everything from now on, for this reason. Returns the failure, the first there was. */
  fail(error: unknown): StoreUnavailable {
    if (this.#failure) return this.#failure
    this.#failure = error instanceof StoreUnavailable ? error : unwritten(this.#path, error)
    this.#options.onFailure(this.#failure)
    return this.#failure
  }

  /** Takes out what a failed write left behind it. It is our own file even where another has been put in its place. */
  async cut(): Promise<void> {
    await this.#running
    await this.#file.truncate(this.#size)
  }

  /** Throws when there is no room for more lines. */
  async requireRoom(): Promise<void> {
    // Without a newline: should the process die now, it is a line that was cut short.
    await this.#file.appendFile(' '.repeat(ROOM))
    await this.#file.datasync()
    await this.#file.truncate(this.#size)
  }

  /** Writes what is owed and closes the file. */
  async close(): Promise<void> {
    await this.#running
    await this.#file.close()
  }

  async #run(): Promise<void> {
    // Lines of the same moment go out together.
    await Promise.resolve()
    for (let batch = this.#batches.shift(); batch; batch = this.#batches.shift()) {
      try {
        if (this.#failure) throw this.#failure
        await this.#write(batch)
        batch.resolve()
      } catch (error) {
        const first = !this.#failure
        const failure = this.fail(error)
        // Whoever is refused may count on it: the lines are gone, where the disk still does that much.
        if (first) await this.#file.truncate(this.#size).catch(() => {})
        batch.reject(failure)
      }
    }
    this.#running = undefined
  }

  async #write({ lines, moveTo }: Batch): Promise<void> {
    const { open, sync, check } = this.#options
    await check()
    if (moveTo) {
      const file = this.#file
      await rename(this.#path, moveTo)
      this.#file = await open(this.#path, 'a', MODE)
      this.#size = 0
      await file.close()
      if (sync) await syncFolder(this.#path)
    }
    const bytes = Buffer.from(lines.join('\n') + '\n')
    await this.#file.appendFile(bytes)
    if (sync) await this.#file.datasync()
    await check()
    this.#size += bytes.length
  }
}

const unwritten = (path: string, error: unknown) =>
  new StoreUnavailable(
    `Rows cannot be kept: ${path} could not be written (${error instanceof Error ? error.message : String(error)}). ` +
      'Nothing is accepted or shown until it can be; it is tried again and again.',
    { cause: error },
  )

function newBatch(moveTo?: string): Batch {
  let resolve = () => {}
  let reject: (error: Error) => void = () => {}
  const done = new Promise<void>((kept, failed) => {
    resolve = kept
    reject = failed
  })
  return { lines: [], moveTo, done, resolve, reject }
}
