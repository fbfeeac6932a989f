import { createStore, type StoreOptions } from '../../store/low-store.ts'
import type { Engine } from '../engine.ts'
import { engineOver, type MemoryOptions } from '../memory/engine.ts'
import { appendFile, open, readFile, rename } from 'node:fs/promises'
import { lazy } from '../../../lib/lazy.ts'
import type { AuditEntry, AuditLog, AuditQuery, AuditShelf } from '../audit.ts'
import { MemoryAudit, type Shelved } from '../memory/audit.ts'

/**
 * Opens an engine whose rows are in a file, used by one process at a time.
 * @throws {UnusableFile} If the file cannot be written, is used by another process or is broken.
 */
export async function openFileEngine(
  options: StoreOptions & MemoryOptions & { readonly path: string },
): Promise<Engine> {
  const { auditEntries, ...kept } = options
  const store = await createStore(kept)
  const audit = new FileAudit(`${options.path}.audit`, {
    sync: options.sync ?? false,
    most: auditEntries,
    unavailable: () => store.unavailable,
  })
  return {
    ...engineOver(store, audit),
    async close() {
      await audit.close()
      await store.close()
    },
  }
}

/** The log contains names and addresses. */
const MODE = 0o600

interface FileAuditOptions {
  readonly sync: boolean
  readonly most?: number | undefined
  /** Returns why nothing may be written, for example because another process has taken over the rows. */
  readonly unavailable: () => Error | undefined
}

/** The audit log in its own file, one entry per line. It is read at first use, and rewritten when over half of it is obsolete. */
class FileAudit implements AuditLog {
  readonly #path: string
  readonly #options: FileAuditOptions
  readonly #kept: MemoryAudit
  #lines = 0
  #last = 0
  /** Whether the last line is incomplete because its writer died. */
  #torn = false
  readonly #read = lazy(() => this.#load())
  #writing: Promise<void> = Promise.resolve()

  constructor(path: string, options: FileAuditOptions) {
    this.#path = path
    this.#options = options
    this.#kept = new MemoryAudit(options.most)
  }

  add(entry: Omit<AuditEntry, 'id'>, shelf: AuditShelf): Promise<void> {
    const written = this.#writing.then(async () => {
      const unavailable = this.#options.unavailable()
      if (unavailable) throw unavailable
      await this.#read()
      const shelved = { entry: { id: ++this.#last, ...entry }, shelf }
      await this.#append(`${this.#torn ? '\n' : ''}${lineOf(shelved)}`)
      this.#torn = false
      this.#kept.put(shelved)
      this.#lines += 1
      if (this.#lines > 2 * this.#kept.size + SHORT) await this.#rewrite()
    })
    this.#writing = written.catch(() => {})
    return written
  }

  async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
    await this.#writing
    await this.#read()
    return this.#kept.list(query)
  }

  close(): Promise<void> {
    return this.#writing
  }

  async #load(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    const lines = text.split('\n')
    this.#torn = lines.pop() !== ''
    for (const line of lines) this.#take(line)
    this.#lines = lines.length
  }

  #take(line: string): void {
    const shelved = shelvedIn(line)
    if (!shelved || shelved.entry.id <= this.#last) return
    this.#last = shelved.entry.id
    this.#kept.put(shelved)
  }

  async #append(text: string): Promise<void> {
    if (!this.#options.sync) return appendFile(this.#path, text, { mode: MODE })
    const file = await open(this.#path, 'a', MODE)
    try {
      await file.appendFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  }

  async #rewrite(): Promise<void> {
    const draft = `${this.#path}.draft`
    const file = await open(draft, 'w', MODE)
    const kept = this.#kept.shelved()
    try {
      await file.appendFile(kept.map(lineOf).join(''))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, this.#path)
    this.#lines = kept.length
  }
}

/** Files with fewer obsolete lines are not rewritten. */
const SHORT = 200

const lineOf = (shelved: Shelved) => `${JSON.stringify(shelved)}\n`

function shelvedIn(line: string): Shelved | undefined {
  try {
    const { entry, shelf } = JSON.parse(line) as Shelved
    return Number.isSafeInteger(entry.id) && SHELVES.has(shelf) ? { entry, shelf } : undefined
  } catch {
    return undefined
  }
}

const SHELVES: ReadonlySet<string> = new Set<AuditShelf>(['admin', 'worlds', 'guests'])
