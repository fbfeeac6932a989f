/** What a scenario file says may be well formed and still make no sense: here that is found. */
import { fieldPath } from '../field-path.ts'
import { checkDirection, checkFact } from './check-facts.ts'
import { checkEnd } from './check-ends.ts'
import { checkExpect } from './check-expect.ts'
import { narrowWords, operationsOf, respondOf, thensOf } from './compile.ts'
import { type Issue, issuesOf, reporting } from '../validation-messages.ts'
import { answerSchema, operationNames, requestShape, shapeOf, statusesOf } from './operations.ts'
import { patternIssue, patternsIssue } from './patterns.ts'
import { factNames, type ScenarioFile, type ThenFile } from './schema.ts'
import { unknown } from './words.ts'

type Path = readonly (string | number)[]

/** Everything that makes no sense in a well-formed file; if it has patterns, their engine must have been loaded. */
export function checkMeaning(file: ScenarioFile): readonly Issue[] {
  const operations = operationsOf(file)
  return [
    ...checkScript(file),
    ...checkWhen(file, operations),
    ...placedThens(file).flatMap(([path, then]) => checkThen(file, operations, path, then)),
    ...checkExpect(file),
  ]
}

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

/** Each `then` with where it stands. */
function placedThens(file: ScenarioFile): [Path, ThenFile][] {
  const paths: Path[] = [
    ...(file.then ? [['then']] : []),
    ...(file.steps ?? []).map((_, index) => ['steps', index, 'then']),
    ...(file.choices ?? []).map((_, index) => ['choices', index, 'then']),
  ]
  return thensOf(file).map((then, index) => [paths[index]!, then])
}

function checkWhen(file: ScenarioFile, operations: readonly string[]): Issue[] {
  if (!file.when) return []
  const issue = patternsIssue(file.when)
  if (issue) return [{ path: ['when'], message: issue }]
  return [
    ...checkDirection(operations, file.when.direction),
    ...Object.entries(file.when).flatMap(([field, predicate]) => [
      ...checkField(operations, field),
      ...checkFact(operations, file.when!, field),
      ...checkPredicate(['when', field], field, predicate),
    ]),
  ]
}

/** A field that none of the operations has could never be matched. */
function checkField(operations: readonly string[], field: string): Issue[] {
  if (field === 'operation' || (factNames as readonly string[]).includes(field)) return []
  const [part, ...names] = field.split('.')
  if (part !== 'body' && part !== 'query' && part !== 'path') return []
  const shapes = operations
    .map((operation) => requestShape(operation, part))
    .filter((shape) => shape !== undefined)
  const has = shapes.some((shape) => hasField(shape, names))
  if (has) return []
  const known = [...new Set(shapes.flatMap((shape) => fieldsOf(shape)))]
  const of = operations.length === operationNames.length ? 'any operation' : operations.join(', ')
  const what = `a field of the ${part} of ${of}`
  return [{ path: ['when', field], on_key: true, message: unknown(names.join('.'), what, known) }]
}

type Shape = NonNullable<ReturnType<typeof shapeOf>>

function hasField(shape: Shape, [name, ...rest]: readonly string[]): boolean {
  const field = name === undefined ? undefined : shape[name]
  if (!field) return false
  const inner = shapeOf(field)
  return rest.length === 0 || (inner !== undefined && hasField(inner, rest))
}

const fieldsOf = (shape: Shape, before = ''): string[] =>
  Object.entries(shape).flatMap(([name, field]) => {
    const inner = shapeOf(field)
    return [before + name, ...(inner ? fieldsOf(inner, `${before}${name}.`) : [])]
  })

/** What makes no sense in the test of a field, found at `path`; the engine of patterns must have been loaded. */
export function checkPredicate(path: Path, field: string, predicate: unknown): Issue[] {
  if (typeof predicate !== 'object' || predicate === null || Array.isArray(predicate)) return []
  if (Object.keys(predicate).length === 0)
    return [{ path, message: 'asks nothing; say a value, or a test such as startsWith' }]
  return Object.entries(predicate).flatMap(([word, operand]) => {
    const place = [...path, word]
    if (word === 'not') return checkPredicate(place, field, operand)
    if (word === 'magic' && field !== 'party')
      return [{ path: place, on_key: true, message: 'magic numbers are for party' }]
    const issue = word === 'matches' ? patternIssue(operand as string) : undefined
    return issue === undefined ? [] : [{ path: place, message: issue }]
  })
}

function checkThen(file: ScenarioFile, operations: readonly string[], path: Path, then: ThenFile): Issue[] {
  return [
    ...checkWords(operations, path, then),
    ...checkRespond(operations, path, then, file.when?.operation !== undefined),
    ...checkSettle(path, then),
    ...checkEnd(file, operations, path, then),
    ...checkCallback(path, then),
  ]
}

/** `settle` says nothing to an operation that moves no money. */
function checkWords(operations: readonly string[], path: Path, then: ThenFile): Issue[] {
  return (Object.keys(then) as (keyof ThenFile)[]).flatMap((word) => {
    const known = narrowWords[word]
    const strange = known && operations.find((operation) => !known.includes(operation))
    if (strange)
      return [
        {
          path: [...path, word],
          on_key: true,
          message: `${word} is for ${known.join(', ')}, not for ${strange}`,
        },
      ]
    if (then.respond && (known || word === 'channel'))
      return [
        {
          path: [...path, word],
          on_key: true,
          message: `${word} and respond exclude each other: nothing is done`,
        },
      ]
    return []
  })
}

function checkRespond(operations: readonly string[], path: Path, then: ThenFile, named: boolean): Issue[] {
  const answer = respondOf(then)
  if (!then.respond || !answer) return []
  const { respond } = then
  if (respond.body === undefined && respond.error_code === undefined && respond.error_message === undefined) {
    if (respond.status === undefined)
      return [{ path: [...path, 'respond'], message: 'respond needs a status, a body or an error_code' }]
    if (respond.status < 400)
      return [{ path: [...path, 'respond', 'status'], message: `status ${respond.status} needs a body` }]
  }
  // A scenario found by name only may fit some operations and not others.
  const asked = named
    ? operations
    : operations.filter((each) => statusesOf(each).includes(answer.status)).slice(0, 1)
  if (asked.length === 0)
    return [{ path: [...path, 'respond', 'status'], message: `no operation declares ${answer.status}` }]
  return asked.flatMap((operation) => checkAnswer(operation, [...path, 'respond'], answer))
}

function checkAnswer(
  operation: string,
  path: Path,
  { status, body }: { status: number; body: unknown },
): Issue[] {
  const schema = answerSchema(operation, status)
  if (!schema) {
    const declared = statusesOf(operation).join(', ')
    return [
      {
        path: [...path, 'status'],
        message: `${operation} does not declare ${status}; it declares ${declared}`,
      },
    ]
  }
  const result = schema.safeParse(body, reporting)
  if (result.success) return []
  const { told, more } = issuesOf(result.error, { name: (path) => fieldPath(path) || 'the body' })
  return [...told, ...(more > 0 ? [{ path: [], message: `and ${more} more` }] : [])].map((wrong) => ({
    path: [...path, 'body', ...wrong.path],
    message: `${operation} ${status}: ${wrong.message}`,
  }))
}

function checkSettle(path: Path, { settle }: ThenFile): Issue[] {
  if (!settle) return []
  const place = [...path, 'settle']
  const ways = (['after', 'afterPolls', 'never'] as const).filter((word) => settle[word] !== undefined)
  if (ways.length > 1)
    return [
      {
        path: [...place, ways[1]!],
        on_key: true,
        message: `${ways.join(' and ')} exclude each other; keep one`,
      },
    ]
  if (settle.never && (settle.status ?? settle.reason))
    return [{ path: [...place, 'never'], on_key: true, message: 'never has no status and no reason' }]
  if (settle.status === 'failed' && !settle.reason)
    return [{ path: [...place, 'status'], message: 'status failed needs a reason' }]
  if (settle.reason && settle.status !== 'failed')
    return [{ path: [...place, 'reason'], on_key: true, message: 'a reason needs status: failed' }]
  return []
}

function checkCallback(path: Path, { callback: written, settle }: ThenFile): Issue[] {
  if (!written) return []
  const word = typeof written === 'string'
  const callback = word
    ? ({ [written]: true } as { first?: true; drop?: true } & Record<string, unknown>)
    : written
  const place = [...path, 'callback']
  const others = (['after', 'times', 'first', 'outOfOrder', 'fault'] as const).filter(
    (word) => callback[word] !== undefined,
  )
  if (callback.drop && others.length > 0)
    return [{ path: [...place, 'drop'], on_key: true, message: `drop and ${others[0]} exclude each other` }]
  if (callback.first && (settle?.after ?? settle?.afterPolls ?? settle?.never) !== undefined)
    return [
      {
        path: word ? place : [...place, 'first'],
        on_key: true,
        message: 'first settles before the answer; leave after, afterPolls and never out',
      },
    ]
  return []
}
