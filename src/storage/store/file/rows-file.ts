import type { Adapter } from 'lowdb'
import { readlink, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Ticks, TimeSlice } from '../../../lib/clock/clock.ts'
import { StoreUnavailable, type WorldRows } from '../change.ts'
import {
  BrokenFile,
  countOf,
  entriesOf,
  type Entry,
  partsOf,
  readRows,
  ROWS_PER_ENTRY,
  UnusableFile,
  type Worlds,
} from './format.ts'
import { LogFile, type LogOptions, type OpenFile, removeDrafts } from './log-file.ts'
import { type FileLock, takeFileLock } from './file-lock.ts'

/** Changes of fewer bytes are not compacted. */
const SMALL = 1 << 20
/** Largest file that is rewritten when the store closes, bytes. */
const QUICK_TO_WRITE = 32 << 20

interface FileOptions {
  readonly ticks: Ticks
  readonly sync: boolean
  readonly open: OpenFile
  readonly report: Report
}

export type Report = (level: 'info' | 'warn' | 'error', message: string) => void

/** Rows in the file that are about to replace a world's rows. */
interface Loading {
  finish(): Promise<void>
  cancel(): void
}

/** Follows symbolic links, also to a file that does not exist yet, so that the lock and renames concern the file itself. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const target = isMissing && (await readlink(path).catch(() => undefined))
    return target ? realPath(resolve(dirname(path), target)) : path
  }
}

/**
 * lowdb's adapter for a file of JSON lines: the rows, then their changes. `write` compacts it: it writes the rows of now to a
 * draft, adds the changes of the meantime, and replaces the file by the draft. A process that dies in between leaves the file.
 */
export class RowsFile implements Adapter<Worlds> {
  readonly #path: string
  readonly #lock: FileLock
  readonly #report: Report
  readonly #logOptions: LogOptions
  #log: LogFile | undefined
  /** Bytes of the rows that the file begins with; after a failed compaction, of the whole file then. */
  #base = 0
  #compacting: Promise<void> | undefined
  #closing = false
  /** The previous lock holder may wake up and write to its file, so a new one has to be started. */
  #mistrusted: boolean
  #loading = 0

  private constructor(
    path: string,
    lock: FileLock,
    { open, sync, report }: FileOptions,
    onFailure: LogOptions['onFailure'],
  ) {
    this.#path = path
    this.#lock = lock
    this.#mistrusted = lock.isTakeover
    this.#report = report
    this.#logOptions = { open, sync, check: lock.check, onFailure }
  }

  /**
   * @param onFailure - Called when a write fails or another process takes over the file.
   * @throws {UnusableFile} If the file cannot be created or a running process uses it.
   */
  static async open(
    path: string,
    options: FileOptions,
    onFailure: (failure: StoreUnavailable) => void,
  ): Promise<RowsFile> {
    const absolute = await realPath(resolve(path))
    try {
      const lock = await takeFileLock(`${absolute}.lock`, {
        ticks: options.ticks,
        onWait: (why) => options.report('info', `${absolute}: ${why}`),
        onLost: onFailure,
      })
      return new RowsFile(absolute, lock, options, onFailure)
    } catch (error) {
      throw unusable(absolute, error)
    }
  }

  /** Reads all worlds and opens the file for writing. Throws with file and line if it is broken. */
  async read(): Promise<Worlds> {
    const worlds: Worlds = new Map()
    try {
      await removeDrafts(this.#path)
      const found = await readRows(this.#path, worlds)
      if (found && !this.#mistrusted) {
        this.#log = await LogFile.open(this.#path, found.sums, this.#logOptions)
        this.#base = found.base
      } else {
        const draft = await LogFile.draft(this.#path, entriesOf(rowsOf(worlds)), this.#logOptions)
        this.#log = await draft.become(this.#path, this.#logOptions)
        this.#base = this.#log.size
        this.#mistrusted = false
      }
    } catch (error) {
      throw error instanceof BrokenFile ? error : unusable(this.#path, error)
    }
    return worlds
  }

  /** Reads everything again after a failed write, without the rows that were not written. Throws until writing works. */
  async recover(): Promise<Worlds> {
    await this.#lock.check()
    await this.#compacting
    const failed = this.#log
    if (failed) {
      await failed.cut()
      this.#log = undefined
      await failed.close()
    }
    const worlds = await this.read()
    try {
      await this.#log!.requireRoom()
    } catch (error) {
      throw this.#log!.fail(error)
    }
    return worlds
  }

  /** Appends the entry, in the order of calls; resolves when it is in the log. */
  append(entry: Entry): Promise<void> {
    return this.#log!.append(JSON.stringify(entry))
  }

  get due(): boolean {
    const log = this.#log
    const busy = this.#compacting !== undefined || this.#closing || this.#loading > 0
    return !busy && !!log && !log.failure && log.size - this.#base > Math.max(this.#base, SMALL)
  }

  /**
   * Appends rows that are to replace a world's, in time slices if there are many. No compaction starts until the caller
   * finishes or cancels: it would separate the parts from their end.
   */
  async load(world: string, rows: WorldRows, slice: TimeSlice): Promise<Loading> {
    if (countOf(rows) <= ROWS_PER_ENTRY)
      return { finish: () => this.append({ world, load: rows }), cancel: () => {} }
    this.#loading += 1
    let parts = 0
    try {
      let pending: Promise<void>[] = []
      for (const part of partsOf(rows)) {
        pending.push(this.append({ world, part: parts++, rows: part }))
        if (!slice.over) continue
        // On a slow disk, the queue must not fill the memory.
        await Promise.all(pending)
        pending = []
        await slice.next()
      }
      await Promise.all(pending)
    } catch (error) {
      this.#loading -= 1
      throw error
    }
    return {
      finish: () => {
        this.#loading -= 1
        return this.append({ world, load: {}, parts })
      },
      cancel: () => void (this.#loading -= 1),
    }
  }

  async write(worlds: Worlds): Promise<void> {
    while (this.#compacting) await this.#compacting
    this.#compacting = this.#compact(worlds).finally(() => (this.#compacting = undefined))
    await this.#compacting
  }

  /**
   * Writes pending lines, compacts the file if that is quick, and releases it.
   * @param worlds - Undefined if the rows in memory differ from the stored ones.
   */
  async close(worlds: Worlds | undefined): Promise<void> {
    this.#closing = true
    await this.#compacting
    const log = this.#log
    if (worlds && log && !log.failure && (await log.mark()) < QUICK_TO_WRITE) await this.write(worlds)
    await log?.close()
    await this.#lock.release()
  }

  async #compact(worlds: Worlds): Promise<void> {
    const log = this.#log!
    // Capturing the rows and marking the file is one step: only later changes are copied.
    const rows = rowsOf(worlds)
    const marked = log.mark()
    try {
      const from = await marked
      const draft = await LogFile.draft(this.#path, entriesOf(rows), this.#logOptions)
      const { size } = draft
      await log.replaceBy(draft, from)
      this.#base = size
    } catch (error) {
      this.#base = log.size
      if (log.failure) return
      const { message } = (error instanceof StoreUnavailable ? error.cause : error) as Error
      this.#report('warn', `${this.#path} could not be rewritten, so it grows: ${message}`)
    }
  }
}

/** Returns the rows as of now, copied world by world when they are read or before they are changed. */
function rowsOf(worlds: Worlds): Map<string, () => WorldRows> {
  return new Map([...worlds].map(([name, world]) => [name, world.rowsOfNow()]))
}

function unusable(path: string, error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException
  // Only system errors have a code; the others already contain a remedy.
  const remedy = code === undefined ? '' : ' Use a file in an existing, writable folder.'
  return new UnusableFile(`Rows cannot be stored in ${path}: ${message}.${remedy}`)
}
