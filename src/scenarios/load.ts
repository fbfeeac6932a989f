/** Where scenarios come from: those that are shipped, and a folder, a file or text of the user's. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { files } from '../files.ts'
import { shipped } from '../generated/scenarios.ts'
import { compileScenario } from './compile.ts'
import { libraryOf, type Library } from './library.ts'
import type { ScenarioFile } from './file.ts'
import type { Scenario } from './scenario.ts'

/** The files that come with the sandbox; what is loaded is what was generated of them. */
export const shippedFolder = fileURLToPath(files.scenarios)

/** The scenarios that come with the sandbox; they were checked when they were generated. */
export const shippedScenarios = (): readonly Scenario[] =>
  Object.entries(shipped as { readonly [name: string]: ScenarioFile }).map(([name, file]) =>
    compileScenario(name, `scenarios/${name}.yaml`, file, true),
  )

/** Whether it is no path but the text itself. */
export const isInline = (given: string) => !existsSync(given) && /\n|[:{]\s/.test(given)

/**
 * Every scenario of the process, the user's in front of the shipped ones of the same name.
 * @param given a folder, a file or inline YAML; null for none, and then nothing is read
 * @throws ScenarioError with every fault of every file
 */
export async function loadLibrary(given: string | null): Promise<Library> {
  if (given === null) return libraryOf(shippedScenarios())
  const [{ readScenarios }, { loadPath }] = await Promise.all([import('./read.ts'), import('./load-path.ts')])
  const own = isInline(given) ? await readScenarios('SANDBOX_SCENARIOS', given) : await loadPath(given)
  return libraryOf([...shippedScenarios(), ...own])
}
