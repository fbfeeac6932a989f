/** Loads scenarios: the shipped ones, and a folder, file or text of the user. */
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { files } from '../lib/files.ts'
import { shipped } from '../generated/scenarios.ts'
import { later } from '../lib/clock/clock.ts'
import { lazy } from '../lib/lazy.ts'
import type { Log } from '../lib/log/log.ts'
import { compileScenario, type Library, libraryOf } from './library.ts'
import { ScenarioError, type ScenarioFile } from './file.ts'
import type { Scenario } from './scenario.ts'

/** The shipped files. The sandbox loads the module generated from them. */
export const shippedFolder = fileURLToPath(files.scenarios)

/** The shipped scenarios, which were validated when they were generated. */
export const shippedScenarios = lazy((): readonly Scenario[] =>
  Object.entries(shipped as { readonly [name: string]: ScenarioFile }).map(([name, file]) =>
    compileScenario(name, `scenarios/${name}.yaml`, file, true),
  ),
)
const shippedLibrary = lazy(() => libraryOf(shippedScenarios()))

/** Whether the value is YAML rather than a path. */
const isInline = (given: string) => !existsSync(given) && /\n|[:{]\s/.test(given)

/**
 * Loads the scenarios of the process. The user's replace shipped ones of the same name.
 * @param given - a folder, a file or inline YAML; null for none
 * @throws {ScenarioError} listing the issues of all files
 */
export async function loadLibrary(given: string | null): Promise<Library> {
  if (given === null) return shippedLibrary()
  const { loadPath, readScenarios } = await import('./read.ts')
  const own = isInline(given) ? await readScenarios('SANDBOX_SCENARIOS', given) : await loadPath(given)
  return libraryOf([...shippedScenarios(), ...own])
}

export interface Scenarios {
  library(): Library
  close(): void
}

/** Milliseconds to wait after a change: editors write a file in several steps. */
const SETTLED = 100

/**
 * Opens the scenarios of the process and reloads changed files. If a changed file is invalid, the previous
 * scenarios stay.
 * @param extra - scenarios that precede all files
 * @throws {ScenarioError} if a file is invalid at the start
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

/** Watches the user's path recursively, or not recursively if the system lacks watchers. */
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
