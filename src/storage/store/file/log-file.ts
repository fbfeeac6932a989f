import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { systemSecrets } from '../../../lib/random/random.ts'
import { StoreUnavailable } from '../change.ts'
import { Checksums, HEADER, linesOf, PREFIX } from './format.ts'

/** How files are opened; a parameter so that tests can simulate a full disk. */
export type OpenFile = typeof open

/** The files contain secrets. */
const MODE = 0o600

/** Syncs the folder of `path`, so that a renamed file survives a power cut. */
async function syncFolder(path: string): Promise<void> {
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

/** Removes the drafts that a killed process left. */
export async function removeDrafts(path: string): Promise<void> {
  const name = `${basename(path)}.new-`
  for (const each of await readdir(dirname(path)))
    if (each.startsWith(name)) await rm(join(dirname(path), each), { force: true })
}

/** Lines that are written together, or other work on the file in its turn. */
interface Batch {
  readonly lines: string[]
  readonly work: (() => Promise<void>) | undefined
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
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
/** Characters that a draft gets at once. */
const PIECE = 1 << 18
/** Bytes of new lines that may be copied while other lines wait, and how often more are copied before. */
const SHORT = 1 << 16
const ROUNDS = 8

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
    // The file may have been copied, and be readable by others.
    await file.chmod(MODE).catch(() => {})
    return new LogFile(path, file, (await file.stat()).size, sums, options)
  }

  /** Writes a new file next to `path`, which replaces it later. It is removed if that fails. */
  static async draft(path: string, entries: Iterable<object>, options: LogOptions): Promise<LogFile> {
    const name = `${path}.new-${systemSecrets()}`
    const file = await options.open(name, 'w', MODE)
    const unchecked = { ...options, sync: false, check: () => undefined, onFailure: () => {} }
    const draft = new LogFile(name, file, 0, new Checksums(), unchecked)
    await draft.#orDiscard(async () => {
      await draft.append(HEADER)
      await draft.#appendAll(textsOf(entries))
    })
    return draft
  }

  /** Bytes of acknowledged lines. */
  get size(): number {
    return this.#size
  }

  get failure(): StoreUnavailable | undefined {
    return this.#failure
  }

  /** Appends an object's JSON. Resolves when the line is in the file. */
  append(...lines: readonly string[]): Promise<void> {
    let batch = this.#batches.at(-1)
    if (!batch || batch.work) this.#batches.push((batch = newBatch()))
    batch.lines.push(...lines)
    this.#running ??= this.#run()
    return batch.done
  }

  async #appendAll(texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    let lines: string[] = []
    let length = 0
    for await (const text of texts) {
      lines.push(text)
      length += text.length
      if (length < PIECE) continue
      await this.append(...lines)
      lines = []
      length = 0
    }
    if (length > 0) await this.append(...lines)
  }

  /** Resolves to the size of the file after all lines appended so far. */
  async mark(): Promise<number> {
    let size = 0
    await this.#inTurn(async () => {
      size = this.#size
    })
    return size
  }

  /**
   * Replaces the file by a draft and the lines of this file from position `from`, and goes on in it. If that fails, this file
   * stays, and the draft is removed.
   */
  async replaceBy(draft: LogFile, from: number): Promise<void> {
    let copied = from
    const copy = async () => {
      const end = this.#size
      await draft.#appendAll(unsealed(linesOf(this.#path, copied, end)))
      copied = end
    }
    await draft.#orDiscard(async () => {
      for (let round = 0; round < ROUNDS && this.#size - copied > SHORT; round += 1) await copy()
      await this.#inTurn(async () => {
        await copy()
        await draft.#file.sync()
        await this.#options.check()
        // Some systems replace no open file.
        await this.#file.close()
        try {
          await rename(draft.#path, this.#path)
        } catch (error) {
          this.#file = await this.#options.open(this.#path, 'a', MODE)
          throw error
        }
        this.#file = draft.#file
        this.#size = draft.#size
        this.#sums = draft.#sums
        await syncFolder(this.#path).catch((error: unknown) => this.fail(error))
      })
    })
  }

  /** Makes a draft the file `path`. */
  async become(path: string, options: LogOptions): Promise<LogFile> {
    await this.#orDiscard(async () => {
      await this.#file.sync()
      await options.check()
      await rename(this.#path, path)
      await syncFolder(path)
    })
    return new LogFile(path, this.#file, this.#size, this.#sums, options)
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

  /** Runs work between two writes. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const batch = newBatch(work)
    this.#batches.push(batch)
    this.#running ??= this.#run()
    return batch.done
  }

  /** Runs work on a draft, and removes it if the work fails: the disk may be full. */
  async #orDiscard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      await this.#file.close().catch(() => {})
      await rm(this.#path, { force: true })
      throw error
    }
  }

  async #run(): Promise<void> {
    // Lines of the same microtask are written together.
    await Promise.resolve()
    for (let batch = this.#batches.shift(); batch; batch = this.#batches.shift()) {
      try {
        if (this.#failure) throw this.#failure
        await (batch.work ? batch.work() : this.#write(batch.lines))
        batch.resolve()
      } catch (error) {
        if (batch.work) {
          batch.reject(error)
          continue
        }
        const first = !this.#failure
        const failure = this.fail(error)
        // A rejected line must not be in the file, as far as the disk allows.
        if (first) await this.#file.truncate(this.#size).catch(() => {})
        batch.reject(failure)
      }
    }
    this.#running = undefined
  }

  async #write(lines: readonly string[]): Promise<void> {
    const { sync, check } = this.#options
    await check()
    const bytes = Buffer.from(`${lines.map((json) => this.#sums.seal(json)).join('\n')}\n`)
    await this.#file.appendFile(bytes)
    if (sync) await this.#file.datasync()
    await check()
    this.#size += bytes.length
  }
}

function* textsOf(entries: Iterable<object>): Generator<string> {
  for (const entry of entries) yield JSON.stringify(entry)
}

async function* unsealed(lines: AsyncIterable<{ readonly text: string }>): AsyncGenerator<string> {
  for await (const { text } of lines) yield `{${text.slice(PREFIX)}`
}

const unwritten = (path: string, error: unknown) =>
  new StoreUnavailable(
    `Rows cannot be stored: ${path} could not be written (${error instanceof Error ? error.message : String(error)}). ` +
      'All requests are rejected until it can be; the sandbox keeps trying.',
    { cause: error },
  )

function newBatch(work?: () => Promise<void>): Batch {
  let resolve = () => {}
  let reject: (error: unknown) => void = () => {}
  const done = new Promise<void>((kept, failed) => {
    resolve = kept
    reject = failed
  })
  return { lines: [], work, done, resolve, reject }
}
