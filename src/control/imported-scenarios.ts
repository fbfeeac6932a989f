import * as z from 'zod'
import { invalid } from '../service/domain/errors.ts'
import { validationError } from '../http/validation-error.ts'
import { reporting } from '../lib/text/validation-messages.ts'
import { checkFile } from '../scenarios/file.ts'
import { SCENARIO_STATE, type ScenarioState } from '../scenarios/state.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { stateIn } from '../worlds/template.ts'

const scenarioState: z.ZodType<Omit<ScenarioState, 'files'>> = z.object({
  on: z.array(z.string()),
  queue: z.array(z.object({ scenario: z.string(), times: z.int().min(1) })),
  used: z.record(z.string(), z.int().min(0)),
  files: z.record(z.string(), z.unknown()),
  texts: z.record(z.string(), z.string().max(65_536)).optional(),
})

/** Looks at the scenarios among rows that come from elsewhere. @throws ServiceError 400 for what is wrong with them */
export async function requireScenarios(rows: WorldRows): Promise<void> {
  const kept = stateIn<ScenarioState>(rows, SCENARIO_STATE)
  if (kept === undefined) return
  const { error } = scenarioState.safeParse(kept, reporting)
  if (error) throw validationError(error)
  for (const [name, file] of Object.entries(kept.files)) {
    const checked = await checkFile(file)
    if (!('issues' in checked)) continue
    const [{ path, message }] = checked.issues as [(typeof checked.issues)[0]]
    throw invalid(`the scenario ${name} among rows.state: ${[...path].join('.')}: ${message}`)
  }
}
