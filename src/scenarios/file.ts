/** Scenario files: their schema, and faults beyond the schema. */
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { andMore, type Issue, issuesOf, reporting, type Telling } from '../lib/text/validation-messages.ts'
import { checkExpect, type ExpectationFile, expectationSchema } from './expect.ts'
import { onlyDirection } from './facts.ts'
import { loadPatternsFor } from './patterns.ts'
import { type AfterLast, afterLastWords } from './scenario.ts'
import { checkThen, fittingOperations, type ThenFile, thenSchema } from './then/table.ts'
import { checkWhen, directionsOf, type When, whenSchema } from './when.ts'
import { number, oneOf, text, whole, words } from './words.ts'

/** A scenario file that was read and checked. */
export interface ScenarioFile {
  title: string
  summary?: string | undefined
  when?: When | undefined
  then?: ThenFile | undefined
  steps?: { times?: number | undefined; then: ThenFile }[] | undefined
  afterLast?: AfterLast | undefined
  choices?: { weight: number; then: ThenFile }[] | undefined
  expect?: ExpectationFile | ExpectationFile[] | undefined
}

const fileSchema = lazy((): z.ZodType<ScenarioFile> => {
  const then = thenSchema()
  const expectation = expectationSchema()
  return words({
    title: text().describe('What happens, in a sentence.'),
    summary: text().optional().describe('What an integrator sees, and what it is good for.'),
    when: whenSchema()
      .optional()
      .describe('Which requests it happens to; left out, only those that name it.'),
    then: then.optional().describe('What happens.'),
    steps: z
      .array(words({ times: whole(1, 100_000).optional(), then }), { error: 'must be a list' })
      .min(1, { error: 'must have at least one step' })
      .optional()
      .describe('What happens to the first requests of a world, one after another.'),
    afterLast: oneOf('one of them', afterLastWords)
      .optional()
      .describe('After the last step: from the first again, the last again, or nothing special.'),
    choices: z
      .array(words({ weight: number().positive({ error: 'must be more than 0' }), then }), {
        error: 'must be a list',
      })
      .min(2, { error: 'must have at least two choices' })
      .optional()
      .describe("What happens by chance, drawn from the world's seed."),
    expect: z
      .union([expectation, z.array(expectation).min(1)], { error: 'must be a map, or a list of maps' })
      .optional()
      .describe(
        'What the file promises of requests in fresh worlds; with `steps` they follow one another in one world.',
      ),
  })
})

/** The JSON Schema of a scenario file, for editors. */
export function scenarioJsonSchema(): object {
  const schema = z.toJSONSchema(fileSchema(), {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === (whenSchema() as unknown)) {
        const field = jsonSchema.additionalProperties ?? {}
        jsonSchema.patternProperties = { '^(body|query|path|headers)\\.': field }
        jsonSchema.additionalProperties = false
      }
    },
  })
  return { title: 'A scenario of payments-sandbox', ...schema }
}

/** Validates a parsed scenario file, or returns its first issues and the number of the others. */
export async function checkFile(
  value: unknown,
): Promise<{ readonly file: ScenarioFile } | { readonly issues: readonly Issue[]; readonly more: number }> {
  const result = fileSchema().safeParse(value, reporting)
  if (!result.success) {
    const { told, more } = issuesOf(result.error, inFile)
    return { issues: told, more }
  }
  const file = result.data
  await loadPatternsFor(file.when)
  const issues = checkMeaning(file)
  return issues.length > 0 ? { issues, more: 0 } : { file }
}

/** Everything that makes no sense in a well-formed file; if it has patterns, their engine must have been loaded. */
function checkMeaning(file: ScenarioFile): readonly Issue[] {
  const operations = operationsOf(file)
  const named = file.when?.operation !== undefined
  const direction = onlyDirection(operations, directionsOf(file.when))
  return [
    ...checkScript(file),
    ...(file.when ? checkWhen(file.when, operations) : []),
    ...placedThens(file).flatMap(([path, then]) => checkThen({ path, then, operations, named, direction })),
    ...checkExpect(file.expect),
  ]
}

/** Returns the operations that a file names, or that all its words fit. */
export function operationsOf(file: ScenarioFile): readonly string[] {
  const named = file.when?.operation
  return named === undefined ? fittingOperations(thensOf(file)) : [...new Set([named].flat())]
}

/** Every `then` of a file. */
const thensOf = (file: ScenarioFile): readonly ThenFile[] => [
  ...(file.then ? [file.then] : []),
  ...(file.steps ?? []).map((step) => step.then),
  ...(file.choices ?? []).map((choice) => choice.then),
]

function checkScript(file: ScenarioFile): Issue[] {
  const said = (['then', 'steps', 'choices'] as const).filter((word) => file[word] !== undefined)
  if (said.length === 0) return [{ path: [], message: 'then, steps or choices is required: what happens' }]
  if (said.length > 1)
    return [{ path: [said[1]!], on_key: true, message: `${said.join(' and ')} exclude each other; keep one` }]
  if (file.steps && file.afterLast === undefined)
    return [{ path: ['steps'], on_key: true, message: 'steps needs afterLast: repeat, stay or none' }]
  if (!file.steps && file.afterLast !== undefined)
    return [{ path: ['afterLast'], on_key: true, message: 'afterLast belongs to steps' }]
  return []
}

/** Returns each `then` with its place. */
function placedThens(file: ScenarioFile): [Issue['path'], ThenFile][] {
  const paths: Issue['path'][] = [
    ...(file.then ? [['then']] : []),
    ...(file.steps ?? []).map((_, index) => ['steps', index, 'then']),
    ...(file.choices ?? []).map((_, index) => ['choices', index, 'then']),
  ]
  return thensOf(file).map((then, index) => [paths[index]!, then])
}

/** An issue with its place in a file; line and column count from 1. */
export interface PlacedIssue {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Scenario files are wrong; the message has a line for each issue: `file:line:column message`. */
export class ScenarioError extends Error {
  readonly issues: readonly PlacedIssue[]
  /** The number of omitted issues. */
  readonly more: number

  constructor(issues: readonly PlacedIssue[], more = 0) {
    const lines = issues.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)
    super([...lines, ...andMore(more)].join('\n'))
    this.name = 'ScenarioError'
    this.issues = issues
    this.more = more
  }
}

/** An issue of a file is found by line and column, so that its message names only the last word of the path. */
export const inFile: Telling = { name: (path) => String(path.at(-1) ?? '') }
