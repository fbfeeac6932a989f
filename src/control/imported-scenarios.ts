import * as z from 'zod'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { invalid } from '../service/domain/errors.ts'
import { validationError } from '../http/validation-error.ts'
import { reporting } from '../lib/text/validation-messages.ts'
import { checkFile } from '../scenarios/file.ts'
import { noState, scenarioBytes, SCENARIO_STATE, type ScenarioState } from '../scenarios/state.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { stateIn } from '../worlds/template.ts'
import type { World } from '../worlds/world.ts'

const scenarioState: z.ZodType<Omit<ScenarioState, 'files'>> = z.object({
  on: z.array(z.string()),
  queue: z.array(z.object({ scenario: z.string(), times: z.int().min(1) })),
  used: z.record(z.string(), z.int().min(0)),
  files: z.record(z.string(), z.unknown()),
  texts: z.record(z.string(), z.string().max(65_536)).optional(),
})

/** Checks the scenarios among imported rows, in time slices. @throws ServiceError 400 for invalid scenarios */
export async function requireScenarios(rows: WorldRows, world = ''): Promise<void> {
  const kept = stateIn<ScenarioState>(rows, SCENARIO_STATE)
  if (kept === undefined) return
  const { error } = scenarioState.safeParse(kept, reporting)
  if (error) throw validationError(error)
  const slice = await timeSlice(world)
  for (const [name, file] of Object.entries(kept.files)) {
    if (slice.over) await slice.next()
    const checked = await checkFile(file)
    if (!('issues' in checked)) continue
    const [{ path, message }] = checked.issues as [(typeof checked.issues)[0]]
    throw invalid(`the scenario ${name} among rows.state: ${[...path].join('.')}: ${message}`)
  }
}

/** @throws ServiceError 429 when a world may not have the scenarios of imported rows in the place of its own */
export function requireRoomForScenarios({ budget }: World, rows: WorldRows, own: WorldRows): void {
  const bytesIn = (from: WorldRows) => scenarioBytes(stateIn<ScenarioState>(from, SCENARIO_STATE) ?? noState)
  const used = bytesIn(own)
  const adding = bytesIn(rows) - used
  if (adding > 0) budget.require('scenarios', used, adding)
}
