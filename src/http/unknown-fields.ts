/** Fields and parameters of the sandbox's own API that are not there: a setting that is misspelt would be taken in silence. */
import type { Faults } from '../service/domain/errors.ts'
import { fieldPath, type FieldPath } from '../lib/text/field-path.ts'
import { isRecord } from '../lib/objects.ts'
import { shapeOf } from '../scenarios/operations.ts'
import { didYouMean } from '../lib/text/suggest.ts'

type Shape = NonNullable<ReturnType<typeof shapeOf>>

/**
 * Refuses every field that the schema of a request has not, at any depth; what a schema leaves open stays so.
 * @param schema undefined where nothing is taken
 */
export function refuseUnknown(faults: Faults, schema: unknown, value: unknown, at: FieldPath = []): void {
  const shape = shapeOf(schema) ?? (schema === undefined ? {} : undefined)
  if (Array.isArray(value)) {
    const item = itemOf(schema)
    if (shapeOf(item)) for (const [n, each] of value.entries()) refuseUnknown(faults, item, each, [...at, n])
    return
  }
  if (!shape || !isRecord(value) || isOpen(schema)) return
  for (const [name, sent] of Object.entries(value)) {
    const path = [...at, name]
    if (Object.hasOwn(shape, name)) refuseUnknown(faults, shape[name], sent, path)
    else faults.add(fieldPath(path), faults.full ? '' : told(name, shape))
  }
}

/** The names there are, and the one that was meant: the nearest, or the same where it should stand. */
function told(name: string, shape: Shape): string {
  const names = Object.keys(shape)
  if (names.length === 0) return 'is not known here: nothing is taken'
  const within = names.find((each) => Object.hasOwn(shapeOf(shape[each]) ?? {}, name))
  const meant = within === undefined ? didYouMean(name, names) : ` (did you mean ${within}.${name}?)`
  if (names.length === 1) return `is not known here, only ${names[0]} is${meant}`
  return `is none of ${names.join(', ')}${meant}`
}

interface Def {
  readonly type?: string
  readonly innerType?: unknown
  readonly element?: unknown
  readonly catchall?: unknown
}

const defOf = (schema: unknown): Def => (schema as { readonly def?: Def } | undefined)?.def ?? {}

/** What the items of a list are held against. */
function itemOf(schema: unknown): unknown {
  const { element, innerType } = defOf(schema)
  return element ?? (innerType === undefined ? undefined : itemOf(innerType))
}

/** Whether a schema takes any field, or refuses those that it does not know by itself. */
function isOpen(schema: unknown): boolean {
  const { catchall, innerType } = defOf(schema)
  return catchall !== undefined || (innerType !== undefined && isOpen(innerType))
}
