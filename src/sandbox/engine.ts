import type { Config } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import { openFileEngine } from '../engine/file/engine.ts'
import { createMemoryEngine } from '../engine/memory/engine.ts'
import type { OnError } from '../listeners.ts'
import type { Log } from '../log.ts'
import type { StoreOptions } from '../store/create-store.ts'

/** The engine that the configuration asks for: a file with SANDBOX_DB, else memory. @throws UnusableFile */
export function openEngine(
  { db, dbSync }: Config,
  log: Log,
  onError: OnError,
  fileParts: Pick<StoreOptions, 'ticks' | 'open'>,
): Promise<Engine> {
  if (db === null) return createMemoryEngine({ onError })
  return openFileEngine({
    onError,
    path: db,
    sync: dbSync === 'on',
    report: (level, message) => log[level]('rows file', { message }),
    ...fileParts,
  })
}
