import { open, rename, type FileHandle } from 'node:fs/promises'

/** Lines that go out in one write; with `moveTo` the file is moved there first and a new one begun. */
interface Batch {
  readonly lines: string[]
  readonly moveTo: string | undefined
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * A file that lines are appended to. While one write runs, further lines gather and go out in the next. After a
 * write that failed every later one is refused, so that no line is missing before one that is there.
 */
export class LogFile {
  readonly #path: string
  #file: FileHandle
  #size: number
  #batches: Batch[] = []
  #running: Promise<void> | undefined
  /** Why nothing can be written any more. */
  failure: Error | undefined

  private constructor(path: string, file: FileHandle, size: number) {
    this.#path = path
    this.#file = file
    this.#size = size
  }

  static async open(path: string): Promise<LogFile> {
    const file = await open(path, 'a')
    return new LogFile(path, file, (await file.stat()).size)
  }

  /** Bytes in the file. */
  get size(): number {
    return this.#size
  }

  /** Resolves when the line is in the file. */
  append(line: string): Promise<void> {
    let batch = this.#batches.at(-1)
    if (!batch) this.#batches.push((batch = newBatch()))
    batch.lines.push(line)
    this.#running ??= this.#run()
    return batch.done
  }

  /** After what was appended so far, renames the file to `oldPath` and begins a new one with this line. */
  rotate(oldPath: string, line: string): Promise<void> {
    const batch = newBatch(oldPath)
    batch.lines.push(line)
    this.#batches.push(batch)
    this.#running ??= this.#run()
    return batch.done
  }

  /** Refuses everything from now on, for this reason. */
  fail(error: unknown): Error {
    const reason = error instanceof Error ? error.message : String(error)
    this.failure ??= new Error(
      `Rows cannot be kept any more: ${this.#path} could not be written (${reason}). ` +
        'Nothing further is accepted; make room and start again.',
    )
    return this.failure
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
        if (this.failure) throw this.failure
        await this.#write(batch)
        batch.resolve()
      } catch (error) {
        batch.reject(this.fail(error))
      }
    }
    this.#running = undefined
  }

  async #write(batch: Batch): Promise<void> {
    if (batch.moveTo) {
      await this.#file.close()
      await rename(this.#path, batch.moveTo)
      this.#file = await open(this.#path, 'a')
      this.#size = 0
    }
    const bytes = Buffer.from(batch.lines.join('\n') + '\n')
    await this.#file.appendFile(bytes)
    this.#size += bytes.length
  }
}

function newBatch(moveTo?: string): Batch {
  let resolve = () => {}
  let reject: (error: Error) => void = () => {}
  const done = new Promise<void>((kept, failed) => {
    resolve = kept
    reject = failed
  })
  return { lines: [], moveTo, done, resolve, reject }
}
