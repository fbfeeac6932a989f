/** The schema of scenario files, and checks beyond the schema. */
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { andMore, type Checked, checked, type Issue, lastOf, onKey } from '../lib/text/validation-messages.ts'
import { checkExpect, expectationSchema } from './expect.ts'
import { onlyDirection } from './when/facts.ts'
import { loadPatternsFor } from './when/patterns.ts'
import { afterLastWords } from './scenario.ts'
import { checkThen, fittingOperations, thenSchema } from './then/table.ts'
import { checkWhen, directionsOf, whenSchema } from './when/when.ts'
import { number, oneOf, text, whole, words } from '../lib/text/word-schemas.ts'

/** Larger weights would overflow when added. */
const MOST_WEIGHT = 1_000_000

const weight = () => {
  const error = `must be more than 0 and at most ${MOST_WEIGHT}`
  return number().positive({ error }).max(MOST_WEIGHT, { error })
}

const fileSchema = lazy(() => {
  const then = thenSchema()
  const expectation = expectationSchema()
  return words({
    title: text().describe('What happens, in one sentence.'),
    summary: text().optional().describe('What an integrator observes, and why it matters.'),
    when: whenSchema()
      .optional()
      .describe('The requests it applies to; if omitted, only those that name it.'),
    then: then.optional().describe('What happens.'),
    steps: z
      .array(words({ times: whole(1, 100_000).optional(), then }), { error: 'must be a list' })
      .min(1, { error: 'must have at least one step' })
      .optional()
      .describe('What happens to the first requests of a world, in order.'),
    afterLast: oneOf('one of them', afterLastWords)
      .optional()
      .describe('What follows the last step: the first one again, the last one again, or nothing special.'),
    choices: z
      .array(words({ weight: weight(), then }), {
        error: 'must be a list',
      })
      .min(2, { error: 'must have at least two choices' })
      .optional()
      .describe("What happens at random, drawn from the world's seed."),
    expect: z
      .union([expectation, z.array(expectation).min(1)], { error: 'must be a map, or a list of maps' })
      .optional()
      .describe(
        'What to expect of requests in new worlds; with `steps`, of successive requests in one world.',
      ),
  })
})

export type ScenarioFile = z.infer<ReturnType<typeof fileSchema>>

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
export async function checkFile(value: unknown): Promise<Checked<ScenarioFile>> {
  const result = checked(fileSchema(), value, lastOf)
  if ('issues' in result) return result
  const { file } = result
  await loadPatternsFor(file.when)
  const issues = checkMeaning(file)
  return issues.length > 0 ? { issues, more: 0 } : { file }
}

/** Reports contradictions in a well-formed file. If the file has patterns, their engine must be loaded. */
function checkMeaning(file: ScenarioFile): readonly Issue[] {
  const operations = operationsOf(file)
  const named = file.when?.operation !== undefined
  const direction = onlyDirection(operations, directionsOf(file.when))
  return [
    ...checkScript(file),
    ...(file.when ? checkWhen(file.when, operations) : []),
    ...placedThens(file).flatMap((placed) => checkThen({ ...placed, operations, named, direction })),
    ...checkExpect(file.expect),
  ]
}

/** Returns the operations that a file names, or by default those that all its words fit. */
export function operationsOf(file: ScenarioFile): readonly string[] {
  const named = file.when?.operation
  return named === undefined
    ? fittingOperations(placedThens(file).map(({ then }) => then))
    : [...new Set([named].flat())]
}

/** Returns each `then` with its path. */
const placedThens = ({ then, steps = [], choices = [] }: ScenarioFile) => [
  ...(then ? [{ path: ['then'], then }] : []),
  ...steps.map(({ then }, n) => ({ path: ['steps', n, 'then'], then })),
  ...choices.map(({ then }, n) => ({ path: ['choices', n, 'then'], then })),
]

function checkScript(file: ScenarioFile): readonly Issue[] {
  const said = (['then', 'steps', 'choices'] as const).filter((word) => file[word] !== undefined)
  if (said.length === 0) return [{ path: [], message: 'then, steps or choices is required: what happens' }]
  if (said.length > 1) return onKey([said[1]!], `${said.join(' and ')} exclude each other; keep one`)
  if (file.steps && file.afterLast === undefined)
    return onKey(['steps'], 'steps needs afterLast: repeat, stay or none')
  if (!file.steps && file.afterLast !== undefined) return onKey(['afterLast'], 'afterLast belongs to steps')
  return []
}

/** An issue at a position in a file; lines and columns count from 1. */
export interface PlacedIssue {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Reports invalid scenario files, one line per issue: `file:line:column message`. */
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
