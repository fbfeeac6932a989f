/** Scenarios as the text of a file. */
import { readFile } from 'node:fs/promises'
import { files } from '../files.ts'
import { writeYaml } from '../lib/text/yaml-text.ts'
import { OWN_FILE, type ScenarioState } from './state.ts'
import type { Scenario } from './scenario.ts'

/** The text as it was written where it is there, as of one that is shipped; else YAML made of what was read. */
export async function sourceText(scenario: Scenario, { texts = {} }: ScenarioState): Promise<string> {
  const { name, shipped, source, file } = scenario
  if (source === OWN_FILE && Object.hasOwn(texts, name)) return texts[name]!
  return shipped ? readFile(new URL(`${name}.yaml`, files.scenarios), 'utf8') : writeYaml(file)
}
