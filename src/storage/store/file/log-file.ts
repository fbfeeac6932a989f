import { type FileHandle, open, readdir, rename, rm, truncate } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BrokenFile, Checksums, LineReader, linesOf, REMEDY, type Worlds } from './format.ts'
import { StoreUnavailable } from '../store.ts'

/** How files are opened; a parameter so that tests can simulate a full disk. */
export type OpenFile = typeof open

/** The files contain secrets. */
export const MODE = 0o600

/** Syncs the folder of `path`, so that created, renamed and removed files survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(dirname(path), 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    // Not every system can sync a folder.
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(code)) throw error
  }
}

/**
 * Returns the logs that were rotated and not yet compacted, oldest first: `.log.old`, then, if compaction failed, those
 * numbered by the generation that follows them.
 */
export async function oldLogsOf(path: string): Promise<string[]> {
  const prefix = `${basename(path)}.log.old`
  const numberOf = (name: string) => (name === prefix ? 0 : Number(name.slice(prefix.length + 1)))
  return (await siblingNames(path))
    .filter((name) => name === prefix || (name.startsWith(`${prefix}.`) && numberOf(name) > 0))
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .map((name) => join(dirname(path), name))
}

export const oldLogName = (path: string, generation: number, first: boolean) =>
  first ? `${path}.log.old` : `${path}.log.old.${generation}`

export const draftName = (path: string, unique: string) => `${path}.new-${unique}`

export async function removeDrafts(path: string): Promise<void> {
  const name = `${basename(path)}.new`
  for (const each of await siblingNames(path))
    if (each === name || each.startsWith(`${name}-`)) await rm(join(dirname(path), each), { force: true })
}

const siblingNames = (path: string) => readdir(dirname(path))

interface Replayed {
  /** False if the log is empty or of an earlier generation, whose entries the worlds contain already. */
  readonly continues: boolean
  readonly sums: Checksums | undefined
}

/**
 * Applies the log of this generation, if there is one. An incomplete last line is removed: the process died while writing
 * it and never acknowledged it.
 */
export async function replay(path: string, generation: number, worlds: Worlds): Promise<Replayed> {
  const reader = new LineReader(path, cutBefore(path))
  let continues = false
  for await (const line of linesOf(path)) {
    if (!line.complete) {
      await truncate(path, line.start)
    } else if (line.number > 1) {
      reader.apply(line, line.text, worlds)
    } else {
      const found = reader.generation(line, line.text)
      if (found < generation) return { continues: false, sums: undefined }
      if (found > generation)
        throw new BrokenFile(
          `${path} follows generation ${found}, but the rows are of generation ${generation}. ${REMEDY}`,
        )
      continues = true
    }
  }
  return { continues, sums: reader.sums }
}

const cutBefore = (path: string) => (line: number) =>
  line === 1
    ? ''
    : ` To continue without this line and all after it, keep only the lines before it: head -n ${line - 1} ${path}.`

/** Lines written together; if `moveTo` is set, the file is first moved there and a new one is started. */
interface Batch {
  readonly lines: string[]
  readonly moveTo: string | undefined
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export interface LogOptions {
  readonly open: OpenFile
  /** Whether to sync after each write, so that it survives a power cut. */
  readonly sync: boolean
  /** Checks the file lock, before each write and before it is acknowledged. */
  readonly check: () => Promise<void> | undefined
  /** Called for the first failed write, before its callers are rejected. */
  readonly onFailure: (failure: StoreUnavailable) => void
}

/** Bytes that must be free before writing resumes after a failure. */
const ROOM = 1 << 16

/**
 * An append-only file. Lines that arrive during a write go out together in the next one. After a failed write all later
 * ones are rejected, so that no line is missing before an existing one.
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

  /** @param sums - The checksums after the last line of the file. */
  static async open(path: string, sums: Checksums, options: LogOptions): Promise<LogFile> {
    const file = await options.open(path, 'a', MODE)
    // Files of earlier versions may be readable by others.
    await file.chmod(MODE).catch(() => {})
    return new LogFile(path, file, (await file.stat()).size, sums, options)
  }

  /** Bytes of acknowledged lines. */
  get size(): number {
    return this.#size
  }

  get failure(): StoreUnavailable | undefined {
    return this.#failure
  }

  /** Appends an object's JSON. Resolves when the line is in the file. */
  append(json: string): Promise<void> {
    let batch = this.#batches.at(-1)
    if (!batch) this.#batches.push((batch = newBatch()))
    batch.lines.push(this.#sums.seal(json))
    this.#running ??= this.#run()
    return batch.done
  }

  /** Renames the file to `oldPath` after all appended lines, and starts a new one with this line. */
  rotate(oldPath: string, json: string): Promise<void> {
    const batch = newBatch(oldPath)
    this.#sums = new Checksums()
    batch.lines.push(this.#sums.seal(json))
    this.#batches.push(batch)
    this.#running ??= this.#run()
    return batch.done
  }

  /** Rejects everything from now on. Returns the first failure. */
  fail(error: unknown): StoreUnavailable {
    if (this.#failure) return this.#failure
    this.#failure = error instanceof StoreUnavailable ? error : unwritten(this.#path, error)
    this.#options.onFailure(this.#failure)
    return this.#failure
  }

  async cut(): Promise<void> {
    await this.#running
    await this.#file.truncate(this.#size)
  }

  /** @throws {Error} If the disk has no room for more lines. */
  async requireRoom(): Promise<void> {
    // Without a newline: if the process dies now, this is an incomplete line.
    await this.#file.appendFile(' '.repeat(ROOM))
    await this.#file.datasync()
    await this.#file.truncate(this.#size)
  }

  async close(): Promise<void> {
    await this.#running
    await this.#file.close()
  }

  async #run(): Promise<void> {
    // Lines of the same microtask are written together.
    await Promise.resolve()
    for (let batch = this.#batches.shift(); batch; batch = this.#batches.shift()) {
      try {
        if (this.#failure) throw this.#failure
        await this.#write(batch)
        batch.resolve()
      } catch (error) {
        const first = !this.#failure
        const failure = this.fail(error)
        // A rejected line must not be in the file, as far as the disk allows.
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
    `Rows cannot be stored: ${path} could not be written (${error instanceof Error ? error.message : String(error)}). ` +
      'All requests are rejected until it can be; the sandbox keeps trying.',
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
