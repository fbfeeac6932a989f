/** The operations of the service and of the sandbox's own API, as the description has them. */
import { operations as control, type Operations as Control } from '../generated/control/operations.ts'
import { operations as service, type Operations as Service } from '../generated/service/operations.ts'
import { suggestion } from '../lib/text/suggest.ts'

type Operations = Service & Control

/** The name of an operation. */
export type AnyOperation = keyof Operations
export type InputOf<Name extends AnyOperation> = Operations[Name]['input']
export type AnswerOf<Name extends AnyOperation> = Operations[Name]['answer']
export type RefusalOf<Name extends AnyOperation> = Operations[Name]['refusal']

/** What is given with an operation: nothing needs to be where nothing of it must be. */
export type GivenTo<Name extends AnyOperation> =
  object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]

/** What stands in the path of an operation. */
export type PathParts = Readonly<Record<string, string | number>>

const places: Readonly<Record<string, string>> = { ...service, ...control }

/** Where an operation is. @throws TypeError with the nearest one when there is none of this name */
export function placeOf(
  operation: AnyOperation,
  given: PathParts = {},
): { readonly method: string; readonly path: string } {
  const place = Object.hasOwn(places, operation) ? places[operation] : undefined
  if (place === undefined)
    throw new TypeError(`there is no operation ${operation}${suggestion(operation, Object.keys(places))}`)
  const [method, path] = place.split(' ') as [string, string]
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => partOf(operation, name, given[name])),
  }
}

function partOf(operation: string, name: string, value: string | number | undefined): string {
  if (value === undefined) throw new TypeError(`${operation} needs { path: { ${name}: … } }`)
  if (typeof value === 'object')
    throw new TypeError(`${operation}: ${name} must be text or a number, got ${JSON.stringify(value)}`)
  return encodeURIComponent(value)
}
