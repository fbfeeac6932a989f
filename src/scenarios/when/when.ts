/** `when`: the requests that a scenario applies to. */
import * as z from 'zod'
import { lazy } from '../../lib/lazy.ts'
import type { Direction } from '../../service/vocabulary/terms.ts'
import { type Issue, onKey } from '../../lib/text/validation-messages.ts'
import { checkFact, factNames, facts } from './facts.ts'
import { operationNames, requestShape, shapeOf } from '../operations.ts'
import { patternsIssue } from './patterns.ts'
import { checkPredicate, comparedTexts, type Predicate, predicateSchema, testsOf } from './predicates.ts'
import type { Condition } from '../scenario.ts'
import { oneOf, unknown } from '../../lib/text/word-schemas.ts'

/** Maximum number of conditions in a file or a request log query. */
export const MOST_CONDITIONS = 50

const parts = ['body', 'query', 'path', 'headers'] as const

/** A validated `when`. */
export interface When {
  operation?: string | string[] | undefined
  direction?: 'payin' | 'payout' | ('payin' | 'payout')[] | undefined
  [field: string]: Predicate | undefined
}

const listOrOne = <Item extends z.ZodType>(item: Item, error: string) =>
  z.union([item, z.array(item).min(1, { error: 'must name at least one' })], { error })

export const whenSchema = lazy((): z.ZodType<When> =>
  z
    .object(
      {
        operation: listOrOne(
          oneOf('an operation', operationNames),
          'must be the name of an operation, or a list of them',
        )
          .optional()
          .describe('The operations it applies to.'),
        ...factsShape(),
      },
      { error: 'must be a map of conditions' },
    )
    .catchall(predicateSchema())
    .superRefine((value, context) => {
      const { length } = Object.keys(value)
      if (length > MOST_CONDITIONS) {
        const message = `must have at most ${MOST_CONDITIONS} conditions, has ${length}`
        return context.addIssue({ code: 'custom', message })
      }
      for (const key of Object.keys(value))
        if (key !== 'operation' && !isField(key))
          context.addIssue({ code: 'custom', path: [key], params: { onKey: true }, message: noFact(key) })
    }),
)

function factsShape() {
  const direction = listOrOne(oneOf('a direction', ['payin', 'payout']), 'must be payin or payout')
  return Object.fromEntries(
    Object.entries(facts).map(([name, { description }]) => [
      name,
      (name === 'direction' ? direction : predicateSchema()).optional().describe(description),
    ]),
  )
}

const isFact = (name: string) => Object.hasOwn(facts, name)
const isField = (key: string) => isFact(key) || /^(body|query|path|headers)\.\S+$/.test(key)

const noFact = (key: string) =>
  `${unknown(key, 'a fact', ['operation', ...factNames])}; or a path that begins with ${parts.map((part) => `${part}.`).join(', ')}`

/** Returns the conditions of `when` other than the operation. @param when validated */
export function conditionsOf(when: When): Condition[] {
  return Object.entries(when).flatMap(([field, predicate]) =>
    field === 'operation' ? [] : testsOf(predicate).map((test) => ({ field: fieldName(field), ...test })),
  )
}

/** Header names are case-insensitive. */
const fieldName = (field: string) => (field.startsWith('headers.') ? field.toLowerCase() : field)

/** Returns the ending of the test numbers in `when`, or null. */
export function endingIn(when: When | undefined): string | null {
  const party = when?.['party']
  return typeof party === 'object' && !Array.isArray(party) ? (party.ending ?? null) : null
}

/** Returns the directions in `when`, or none. */
export const directionsOf = (when: When | undefined): readonly Direction[] => [
  ...new Set([when?.direction ?? []].flat()),
]

/** Reports conditions that no request can meet. */
export function checkWhen(when: When, operations: readonly string[]): Issue[] {
  const issue = patternsIssue(when)
  if (issue) return [{ path: ['when'], message: issue }]
  return Object.entries(when).flatMap(([field, predicate]) => [
    ...checkField(operations, field, predicate),
    ...checkFact(operations, when, field),
    ...checkPredicate(['when', field], field, predicate),
  ])
}

/** Reports a field that none of the operations has, and values of another type. */
function checkField(operations: readonly string[], field: string, predicate: unknown): readonly Issue[] {
  if (field === 'operation' || isFact(field)) return []
  const [part, ...names] = field.split('.')
  if (part !== 'body' && part !== 'query' && part !== 'path') return []
  const shapes = operations
    .map((operation) => requestShape(operation, part))
    .filter((shape) => shape !== undefined)
  const found = shapes.flatMap((shape) => schemaAt(shape, names) ?? [])
  if (found.length > 0)
    return comparedTexts(predicate, ['when', field]).flatMap(({ path, value, whole }) => {
      const must = found.map((schema) => mustBe(schema, value))
      return whole && must.every((each) => each !== undefined)
        ? [{ path, message: `${field} must be ${must[0]}, got ${JSON.stringify(value)}` }]
        : []
    })
  const known = [...new Set(shapes.flatMap((shape) => fieldsOf(shape)))]
  const of = operations.length === operationNames.length ? 'any operation' : operations.join(', ')
  const what = `a field of the ${part} of ${of}`
  const message =
    known.length > 0 ? unknown(names.join('.'), what, known) : `${field} never applies: ${of} has no ${part}`
  return onKey(['when', field], message)
}

type Shape = NonNullable<ReturnType<typeof shapeOf>>

function schemaAt(shape: Shape, [name, ...rest]: readonly string[]): z.ZodType | undefined {
  const field = name === undefined ? undefined : shape[name]
  if (!field || rest.length === 0) return field
  const inner = shapeOf(field)
  return inner && schemaAt(inner, rest)
}

/** Returns the type of a field if no value of that type is written like this. */
function mustBe(schema: z.ZodType, value: string): string | undefined {
  const { type, innerType } = schema.def as { readonly type: string; readonly innerType?: z.ZodType }
  if (innerType) return mustBe(innerType, value)
  if (type === 'number' && Number.isNaN(Number(value))) return 'a number'
  return type === 'boolean' && !['true', 'false'].includes(value) ? 'true or false' : undefined
}

const fieldsOf = (shape: Shape, before = ''): string[] =>
  Object.entries(shape).flatMap(([name, field]) => {
    const inner = shapeOf(field)
    return [before + name, ...(inner ? fieldsOf(inner, `${before}${name}.`) : [])]
  })
