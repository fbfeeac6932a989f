import type { Adapter } from 'lowdb'
import { rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { TimeSlice } from '../../clock/time-slice.ts'
import type { WorldRows } from '../store.ts'
import { countOf, partsOf, ROWS_AN_ENTRY, type Entry, type Worlds } from './entries.ts'
import { BrokenFile, headerOf, UnusableFile } from './format.ts'
import { lock } from './lock.ts'
import { LogFile } from './log-file.ts'
import { replay } from './replay.ts'
import { readWhole, writeWhole } from './whole.ts'

/** A log below this many bytes is not worth folding in. */
const SMALL_LOG = 1 << 20
/** What can be rewritten at close without holding up the end of the process. */
const QUICK_TO_WRITE = 32 << 20

/**
 * lowdb's file: the whole as JSON in `path`, and what changed since in `path.log`, appended. `write` folds the
 * log in: the log goes on in a new file while the whole is written beside the old one and then takes its place.
 * A process that dies in between leaves `path.log.old`, which the next start reads before the log.
 */
export class RowsFile implements Adapter<Worlds> {
  readonly #path: string
  readonly #unlock: () => Promise<void>
  #log: LogFile | undefined
  #generation = 0
  #wholeSize = 0
  #folding: Promise<void> | undefined
  #closing = false
  /** How many worlds are being replaced. */
  #loading = 0

  private constructor(path: string, unlock: () => Promise<void>) {
    this.#path = path
    this.#unlock = unlock
  }

  /** Throws when the file cannot be made or a process that is alive has it. */
  static async open(path: string): Promise<RowsFile> {
    const absolute = resolve(path)
    try {
      return new RowsFile(absolute, await lock(`${absolute}.lock`))
    } catch (error) {
      throw unusable(absolute, error)
    }
  }

  /** Why nothing can be written any more; undefined as long as all is well. */
  get failure(): Error | undefined {
    return this.#log?.failure
  }

  /** Reads everything back and makes the files ready to go on. Throws with file and line when one is broken. */
  async read(): Promise<Worlds> {
    const worlds: Worlds = new Map()
    try {
      this.#generation = await readWhole(this.#path, worlds)
      this.#wholeSize = await sizeOf(this.#path)
      const leftOver = (await sizeOf(this.#oldLog)) > 0
      if (leftOver && (await replay(this.#oldLog, this.#generation, worlds))) this.#generation += 1
      const goesOn = await replay(this.#newLog, this.#generation, worlds)
      if (leftOver || !goesOn || (await sizeOf(this.#newLog)) > this.#limit) await this.#beginAnew(worlds)
      this.#log = await LogFile.open(this.#newLog)
    } catch (error) {
      throw error instanceof BrokenFile ? error : unusable(this.#path, error)
    }
    return worlds
  }

  /** Takes the entry at once, in the order of calls; resolves when it is in the log. */
  append(entry: Entry): Promise<void> {
    return this.#log!.append(JSON.stringify(entry))
  }

  /** Whether the log has grown so large that it should be folded in. */
  get due(): boolean {
    const busy = this.#folding !== undefined || this.#closing || this.#loading > 0
    return !busy && !this.failure && this.#log!.size > this.#limit
  }

  /**
   * Takes rows that replace a world's, in time slices where they are many. Returns what makes it so, to be called in the
   * step that shows them; that resolves when they are in the log. Nothing is folded in before: the parts must not be torn
   * from their end.
   */
  async load(world: string, rows: WorldRows, slice: TimeSlice): Promise<() => Promise<void>> {
    if (countOf(rows) <= ROWS_AN_ENTRY) return () => this.append({ world, load: rows })
    this.#loading += 1
    let parts = 0
    try {
      let owed: Promise<void>[] = []
      for (const part of partsOf(rows)) {
        owed.push(this.append({ world, part: parts++, rows: part }))
        if (!slice.over) continue
        // What waits for a slow disk must not fill the memory.
        await Promise.all(owed)
        owed = []
        await slice.next()
      }
      await Promise.all(owed)
    } catch (error) {
      this.#loading -= 1
      throw error
    }
    return () => {
      this.#loading -= 1
      return this.append({ world, load: {}, parts })
    }
  }

  async write(worlds: Worlds): Promise<void> {
    while (this.#folding) await this.#folding
    this.#folding = this.#fold(worlds)
    await this.#folding
  }

  /** Writes what is owed, folds the log in when that is quick, and lets go of the file. */
  async close(worlds: Worlds): Promise<void> {
    this.#closing = true
    await this.#folding
    const log = this.#log
    if (log && !log.failure && log.size + this.#wholeSize < QUICK_TO_WRITE) await this.write(worlds)
    await log?.close()
    await this.#unlock()
  }

  get #newLog(): string {
    return `${this.#path}.log`
  }

  get #oldLog(): string {
    return `${this.#path}.log.old`
  }

  get #limit(): number {
    return Math.max(this.#wholeSize, SMALL_LOG)
  }

  async #fold(worlds: Worlds): Promise<void> {
    // The rows are taken and the log is turned in one step: what comes later is in the new log alone.
    const rows = rowsOf(worlds)
    const log = this.#log!
    this.#generation += 1
    try {
      await log.rotate(this.#oldLog, headerOf(this.#generation))
      this.#wholeSize = await writeWhole(this.#path, this.#generation, rows)
      await rm(this.#oldLog)
    } catch (error) {
      log.fail(error)
    } finally {
      this.#folding = undefined
    }
  }

  /** Writes everything to the whole and leaves an empty log; only while nothing is appended. */
  async #beginAnew(worlds: Worlds): Promise<void> {
    this.#generation += 1
    this.#wholeSize = await writeWhole(this.#path, this.#generation, rowsOf(worlds))
    await rm(this.#oldLog, { force: true })
    await writeFile(this.#newLog, `${headerOf(this.#generation)}\n`)
  }
}

/** The rows as of now; they are copied world by world while they are written, and before they are changed. */
function rowsOf(worlds: Worlds): Map<string, () => WorldRows> {
  return new Map([...worlds].map(([name, world]) => [name, world.rowsOfNow()]))
}

function unusable(path: string, error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException
  // What the system refuses has a code; the others say themselves what to do.
  const remedy = code === undefined ? '' : ' Name a file in a folder that exists and can be written.'
  return new UnusableFile(`Rows cannot be kept in ${path}: ${message}.${remedy}`)
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}
