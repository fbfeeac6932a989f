import { expectationOf } from './expect.ts'
import { operationsOf, type ScenarioFile } from './file.ts'
import type { Scenario, Script } from './scenario.ts'
import { outcomeOf } from './then/table.ts'
import { conditionsOf, endingIn } from './when.ts'

/**
 * @param file - validated
 * @param shipped - whether the file is part of the sandbox
 */
export function compileScenario(name: string, source: string, file: ScenarioFile, shipped = false): Scenario {
  const { when } = file
  const conditions = when === undefined ? null : conditionsOf(when)
  const expected = file.expect === undefined ? [] : [file.expect].flat()
  return {
    name,
    title: file.title,
    summary: file.summary?.trim() ?? '',
    source,
    shipped,
    operations: new Set(operationsOf(file)),
    conditions,
    specificity: (conditions?.length ?? 0) + (when?.operation === undefined ? 0 : 1),
    ending: endingIn(when),
    script: scriptOf(file),
    expect: expected.map(expectationOf),
    file,
  }
}

function scriptOf(file: ScenarioFile): Script {
  if (file.steps)
    return {
      kind: 'steps',
      steps: file.steps.map(({ times = 1, then }) => ({ times, outcome: outcomeOf(then) })),
      after_last: file.afterLast ?? 'none',
    }
  if (file.choices)
    return {
      kind: 'choices',
      choices: file.choices.map(({ weight, then }) => ({ weight, outcome: outcomeOf(then) })),
    }
  return { kind: 'then', outcome: outcomeOf(file.then ?? {}) }
}
