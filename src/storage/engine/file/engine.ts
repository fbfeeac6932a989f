import { createStore, type StoreOptions } from '../../store/low-store.ts'
import type { Engine } from '../engine.ts'
import { engineOver, type MemoryOptions } from '../memory/engine.ts'
import { appendFile, open, readFile, rename } from 'node:fs/promises'
import { lazy } from '../../../lib/lazy.ts'
import type { AuditLog, AuditShelf } from '../audit.ts'
import { memoryAudit, type Shelved } from '../memory/audit.ts'

/**
 * Opens an engine whose rows are in a file, used by one process at a time.
 * @throws {UnusableFile} If the file cannot be written, is used by another process or is broken.
 */
export async function openFileEngine(
  options: StoreOptions & MemoryOptions & { readonly path: string },
): Promise<Engine> {
  const { auditEntries, ...kept } = options
  const store = await createStore(kept)
  const audit = fileAudit(`${options.path}.audit`, {
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
function fileAudit(path: string, options: FileAuditOptions): AuditLog & { close(): Promise<void> } {
  const memory = memoryAudit(options.most)
  let written = 0
  let last = 0
  /** Whether the last line is incomplete because its writer died. */
  let torn = false
  const read = lazy(load)
  let writing: Promise<void> = Promise.resolve()

  async function load(): Promise<void> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    const lines = text.split('\n')
    torn = lines.pop() !== ''
    for (const line of lines) take(line)
    written = lines.length
  }

  function take(line: string): void {
    const shelved = shelvedIn(line)
    if (!shelved || shelved.entry.id <= last) return
    last = shelved.entry.id
    memory.put(shelved)
  }

  async function append(text: string): Promise<void> {
    if (!options.sync) return appendFile(path, text, { mode: MODE })
    const file = await open(path, 'a', MODE)
    try {
      await file.appendFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  }

  async function rewrite(): Promise<void> {
    const draft = `${path}.draft`
    const file = await open(draft, 'w', MODE)
    const kept = memory.shelved()
    try {
      await file.appendFile(kept.map(lineOf).join(''))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
    written = kept.length
  }

  return {
    add(entry, shelf) {
      const adding = writing.then(async () => {
        const unavailable = options.unavailable()
        if (unavailable) throw unavailable
        await read()
        const shelved = { entry: { id: ++last, ...entry }, shelf }
        await append(`${torn ? '\n' : ''}${lineOf(shelved)}`)
        torn = false
        memory.put(shelved)
        written += 1
        if (written > 2 * memory.size + SHORT) await rewrite()
      })
      writing = adding.catch(() => {})
      return adding
    },
    async list(query) {
      await writing
      await read()
      return memory.list(query)
    },
    close: () => writing,
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
