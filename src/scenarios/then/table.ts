/** The words of `then`. A new word is a definition in this folder and a row here. */
import type { z } from 'zod'
import { lazy } from '../../lib/lazy.ts'
import { defined } from '../../lib/objects.ts'
import type { Outcome, Plan } from '../../service/vocabulary/outcome.ts'
import { type Issue, onKey } from '../../lib/text/validation-messages.ts'
import { operationNames } from '../operations.ts'
import { optional, words } from '../../lib/text/word-schemas.ts'
import { callback } from './callback.ts'
import {
  channel,
  delay,
  fault,
  respond,
  response,
  later,
  statusQuery,
  review,
  settle,
  statement,
} from './words.ts'
import type { Part, Where, Word } from './word.ts'

/** Editors, messages and the documentation list the words in this order. */
export const thenWords = {
  respond,
  delay,
  fault,
  response,
  settle,
  later,
  review,
  channel,
  callback,
  statusQuery,
  statement,
} satisfies {
  readonly [name: string]: Word
}

type Words = typeof thenWords
type Written<Name extends keyof Words> = z.infer<ReturnType<Words[Name]['schema']>>

/** A validated `then`. */
export type ThenFile = { [Name in keyof Words]?: Written<Name> | undefined }

const table: { readonly [Name in keyof Words]: Word } = thenWords
const names = Object.keys(table) as (keyof Words)[]

export const thenSchema = lazy((): z.ZodType<ThenFile> => words(optional(table)))

/** Returns the words of a `then` with their values. */
const wordsIn = (then: { readonly [Name in keyof Words]?: unknown }) =>
  names
    .filter((name) => then[name] !== undefined)
    .map((name) => ({ name, word: table[name], written: then[name] }))

/** Compiles a `then` into an outcome. */
export const outcomeOf = (then: ThenFile): Outcome =>
  wordsIn(then).reduce<Outcome>((outcome, { word, written }) => {
    const part = { [word.part]: word.compile(written) }
    return overlay(outcome, isOfPlan(word.part) ? { plan: part } : part)
  }, {})

/** Describes one word's part of an outcome; empty if the outcome lacks it. */
export function describePart({ part, describe }: Word, outcome: Outcome): readonly string[] {
  const value = isOfPlan(part) ? outcome.plan?.[part] : outcome[part]
  return value === undefined ? [] : describe(value)
}

const planParts: Readonly<Record<keyof Plan, true>> = {
  settle: true,
  later: true,
  callback: true,
  status_query: true,
  statement: true,
}
const isOfPlan = (part: Part): part is keyof Plan => Object.hasOwn(planParts, part)

/** Merges two outcomes. The upper one takes precedence. */
export function overlay(below: Outcome, above: Outcome): Outcome {
  const plan = (below.plan ?? above.plan) ? { ...below.plan, ...defined(above.plan) } : undefined
  return { ...below, ...defined(above), plan }
}

/** Returns the operations that all words of these fit. */
export function fittingOperations(thens: readonly ThenFile[]): readonly string[] {
  const words = thens.flatMap(wordsIn)
  return operationNames.filter((operation) => words.every(({ word }) => fits(word, operation)))
}

const fits = ({ operations }: Word, operation: string) => operations?.includes(operation) ?? true

/** Reports issues of a `then` beyond its schema. */
export function checkThen(where: Where): readonly Issue[] {
  const words = wordsIn(where.then)
  return [
    ...words.flatMap(({ name, word }) => checkPlace(name, word, where)),
    ...words.flatMap(
      ({ name, word, written }) => word.check?.(written, { ...where, path: [...where.path, name] }) ?? [],
    ),
  ]
}

/** Words about money fit neither operations without money nor `respond`, which skips the operation. */
function checkPlace(name: string, word: Word, { path, then, operations }: Where): readonly Issue[] {
  const stranger = operations.find((operation) => !fits(word, operation))
  if (stranger)
    return onKey([...path, name], `${name} is for ${word.operations!.join(', ')}, not for ${stranger}`)
  return then.respond && word.about !== 'response'
    ? onKey([...path, name], `${name} and respond exclude each other: respond replaces the processing`)
    : []
}
