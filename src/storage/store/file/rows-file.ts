import type { Adapter } from 'lowdb'
import { access, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Ticks } from '../../../lib/clock/ticks.ts'
import type { TimeSlice } from '../../../lib/clock/time-slice.ts'
import { systemSecrets } from '../../../lib/random/random.ts'
import type { StoreUnavailable, WorldRows } from '../store.ts'
import {
  BrokenFile,
  Checksums,
  countOf,
  entriesOf,
  type Entry,
  headerOf,
  LineReader,
  linesOf,
  partsOf,
  REMEDY,
  ROWS_PER_ENTRY,
  UnusableFile,
  type Worlds,
} from './format.ts'
import {
  draftName,
  LogFile,
  type LogOptions,
  MODE,
  oldLogName,
  oldLogsOf,
  type OpenFile,
  removeDrafts,
  replay,
  syncFolder,
} from './log-file.ts'
import { type FileLock, takeFileLock } from './file-lock.ts'

/** Smallest log that is compacted, bytes. */
const SMALL_LOG = 1 << 20
/** Largest total that is rewritten when the store closes, bytes. */
const QUICK_TO_WRITE = 32 << 20

interface FileOptions {
  readonly ticks: Ticks
  readonly sync: boolean
  readonly open: OpenFile
  readonly report: Report
}

export type Report = (level: 'info' | 'warn' | 'error', message: string) => void

/** Rows in the log that are about to replace a world's rows. */
interface Loading {
  finish(): Promise<void>
  cancel(): void
}

/**
 * lowdb's adapter for a file: a snapshot as JSON in `path`, later changes appended to `path.log`. `write` compacts the log:
 * it starts a new log, writes a new snapshot and then replaces the old one. A process that dies in between leaves
 * `path.log.old`, which the next start reads first.
 */
export class RowsFile implements Adapter<Worlds> {
  readonly #path: string
  readonly #lock: FileLock
  readonly #options: FileOptions
  readonly #logOptions: LogOptions
  #log: LogFile | undefined
  #oldLogs: readonly string[] = []
  #generation = 0
  #snapshotSize = 0
  #compacting: Promise<void> | undefined
  #closing = false
  /** The previous lock holder may wake up and write to its log, so a new one has to be started. */
  #mistrusted: boolean
  #loading = 0

  private constructor(
    path: string,
    lock: FileLock,
    options: FileOptions,
    onFailure: LogOptions['onFailure'],
  ) {
    this.#path = path
    this.#lock = lock
    this.#mistrusted = lock.isTakeover
    this.#options = options
    const { open, sync } = options
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
    const absolute = resolve(path)
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

  /** Reads all worlds and prepares the files for writing. Throws with file and line if one is broken. */
  async read(): Promise<Worlds> {
    const worlds: Worlds = new Map()
    try {
      await removeDrafts(this.#path)
      await removeDrafts(this.#newLog)
      const snapshot = await readSnapshot(this.#path, worlds)
      this.#generation = snapshot.generation
      this.#snapshotSize = await sizeOf(this.#path)
      this.#oldLogs = await oldLogsOf(this.#path)
      if (snapshot.hasLog && this.#oldLogs.length === 0) await this.#requireLog()
      for (const old of this.#oldLogs)
        if ((await replay(old, this.#generation, worlds)).continues) this.#generation += 1
      const log = await replay(this.#newLog, this.#generation, worlds)
      let sums = this.#mistrusted ? undefined : log.sums
      // A new log needs hardly any room, unlike the snapshot.
      if (!log.continues && this.#generation > 0) sums = await this.#beginLog()
      if (!sums || this.#oldLogs.length > 0 || (await sizeOf(this.#newLog)) > this.#limit)
        sums = (await this.#beginAnew(worlds, !sums)) ?? sums
      this.#log = await LogFile.open(this.#newLog, sums!, this.#logOptions)
      this.#mistrusted = false
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
    return !busy && !!log && !log.failure && log.size > this.#limit
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
    this.#compacting = this.#compact(worlds)
    await this.#compacting
  }

  /**
   * Writes pending lines, compacts the log if that is quick, and releases the file.
   * @param worlds - Undefined if the rows in memory differ from the stored ones.
   */
  async close(worlds: Worlds | undefined): Promise<void> {
    this.#closing = true
    await this.#compacting
    const log = this.#log
    if (worlds && log && !log.failure && log.size + this.#snapshotSize < QUICK_TO_WRITE)
      await this.write(worlds)
    await log?.close()
    await this.#lock.release()
  }

  get #newLog(): string {
    return `${this.#path}.log`
  }

  get #limit(): number {
    return Math.max(this.#snapshotSize, SMALL_LOG)
  }

  async #requireLog(): Promise<void> {
    await access(this.#newLog).catch(() => {
      throw new BrokenFile(
        `${this.#newLog} is missing: it contains the changes since ${this.#path} was written. Restore it, or ` +
          `create an empty file to continue without the changes: touch ${this.#newLog}.`,
      )
    })
  }

  async #compact(worlds: Worlds): Promise<void> {
    // Rotating the log and capturing the rows is one step: later changes are in the new log only.
    const rows = rowsOf(worlds)
    const log = this.#log!
    this.#generation += 1
    const old = oldLogName(this.#path, this.#generation, this.#oldLogs.length === 0)
    try {
      await log.rotate(old, headerOf(this.#generation))
      this.#oldLogs = [...this.#oldLogs, old]
      this.#snapshotSize = await this.#writeSnapshot(rows)
      for (const each of this.#oldLogs) await rm(each)
      this.#oldLogs = []
    } catch (error) {
      // Nothing is lost: the logs are compacted once they have doubled, or at the next start.
      if (!log.failure) this.#reportUncompacted(error)
    } finally {
      this.#compacting = undefined
    }
  }

  #reportUncompacted(error: unknown): void {
    this.#options.report(
      'warn',
      `${this.#path} could not be rewritten, so its logs grow: ${(error as Error).message}`,
    )
  }

  async #writeSnapshot(rows: ReadonlyMap<string, () => WorldRows>): Promise<number> {
    const sums = new Checksums()
    const draft = draftName(this.#path, systemSecrets())
    const file = await this.#options.open(draft, 'w', MODE)
    try {
      let text = `[${sums.seal(headerOf(this.#generation))}\n`
      for (const entry of entriesOf(rows)) {
        text += `,${sums.seal(JSON.stringify(entry))}\n`
        if (text.length < PIECE) continue
        await file.appendFile(text)
        text = ''
      }
      await file.appendFile(`${text},${sums.seal(END)}\n]\n`)
      await file.sync()
      const { size } = await file.stat()
      await this.#lock.check()
      await rename(draft, this.#path)
      await syncFolder(this.#path)
      return size
    } catch (error) {
      // The disk may be full.
      await rm(draft, { force: true })
      throw error
    } finally {
      await file.close()
    }
  }

  /**
   * Writes everything to the snapshot file and starts an empty log; only while nothing is appended. If this fails and is
   * not `needed`, nothing changes and it returns undefined.
   */
  async #beginAnew(worlds: Worlds, needed: boolean): Promise<Checksums | undefined> {
    const { open } = this.#options
    // From the first snapshot on there is always a log: a missing one means loss.
    await (await open(this.#newLog, 'a', MODE)).close()
    this.#generation += 1
    try {
      this.#snapshotSize = await this.#writeSnapshot(rowsOf(worlds))
    } catch (error) {
      this.#generation -= 1
      if (needed) throw error
      return void this.#reportUncompacted(error)
    }
    const sums = await this.#beginLog()
    for (const old of this.#oldLogs) await rm(old, { force: true })
    this.#oldLogs = []
    return sums
  }

  async #beginLog(): Promise<Checksums> {
    const sums = new Checksums()
    const draft = draftName(this.#newLog, systemSecrets())
    const file = await this.#options.open(draft, 'w', MODE)
    try {
      await file.appendFile(`${sums.seal(headerOf(this.#generation))}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await this.#lock.check()
    await rename(draft, this.#newLog)
    await syncFolder(this.#path)
    return sums
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

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

const PIECE = 1 << 18
/** The last entry of a snapshot: its checksum covers the whole file. */
const END = JSON.stringify({ end: true })

/** Reads the snapshot into the worlds. The generation is 0 if the file is missing or empty. */
async function readSnapshot(path: string, worlds: Worlds) {
  const reader = new LineReader(path)
  let generation = 0
  let ended = false
  let last = ']'
  for await (const line of linesOf(path)) {
    last = line.text
    // Each line begins with the array's bracket or comma, so it can be parsed on its own.
    const text = last.slice(1)
    if (line.number === 1) generation = reader.generation(line, text)
    else if (last !== ']' && text.endsWith(END.slice(1))) ended = reader.isEnd(line, text)
    else if (last !== ']') reader.apply(line, text, worlds)
  }
  const complete = last === ']' && (ended || !reader.sums)
  if (!complete) throw new BrokenFile(`${path} has no end: its last line must be "]". ${REMEDY}`)
  return { generation, hasLog: reader.sums !== undefined }
}
