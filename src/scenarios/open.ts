import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { later } from '../lib/clock/clock.ts'
import type { Log } from '../lib/log/log.ts'
import { libraryOf, type Library } from './library.ts'
import { ScenarioError } from './issues.ts'
import { isInline, loadLibrary } from './load.ts'
import type { Scenario } from './scenario.ts'

/** The scenarios that are loaded. */
export interface Scenarios {
  library(): Library
  close(): void
}

/** Milliseconds to wait after a change: editors write a file in several steps. */
const SETTLED = 100

/**
 * The scenarios of the process; a file that changes is taken up at once, a broken one keeps what was there.
 * @param extra scenarios in front of all files
 * @throws ScenarioError when a file is wrong at the start
 */
export async function openScenarios(
  given: string | null,
  log: Log,
  extra: readonly Scenario[] = [],
): Promise<Scenarios> {
  const load = async () => {
    const loaded = await loadLibrary(given)
    return extra.length > 0 ? libraryOf([...loaded.byName.values(), ...extra]) : loaded
  }
  let library = await load()
  let cancel = () => {}
  const reload = async () => {
    try {
      library = await load()
      log.info('scenarios', { loaded: library.byName.size })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      log.error('scenarios kept as they were', { faults: error.message })
    }
  }
  const stop = watchPath(given, () => {
    cancel()
    cancel = later(SETTLED, () => void reload())
  })
  return {
    library: () => library,
    close() {
      cancel()
      stop()
    },
  }
}

/** The user's own place is watched, and the folders in it; it alone where the system has no room for so many. */
function watchPath(given: string | null, changed: () => void): () => void {
  if (given === null || isInline(given) || !existsSync(given)) return () => {}
  const open = (recursive: boolean): FSWatcher => {
    const opened = watch(given, { persistent: false, recursive }, changed)
    opened.on('error', () => {
      opened.close()
      if (recursive) watcher = open(false)
    })
    return opened
  }
  let watcher = open(statSync(given).isDirectory())
  return () => watcher.close()
}
