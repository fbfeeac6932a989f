/** Optional texts that are sent empty (open-points, "Second look"): not sent in what creates, emptied by what changes. */
import { isRecord } from '../lib/objects.ts'
import { shapeOf } from '../scenarios/operations.ts'

/** Where a text was taken out of a body. */
export type EmptyTexts = readonly (readonly string[])[]

const NONE: EmptyTexts = []

/**
 * Takes the optional texts that are empty out of a body, so that no form is asked of them.
 * @param text the body as it was sent: most have no empty text, and are not looked through
 */
export function takeEmptyTexts(schema: unknown, body: unknown, text: string): EmptyTexts {
  if (!text.includes('""')) return NONE
  const taken: string[][] = []
  takeFrom(schema, body, [], taken)
  return taken
}

function takeFrom(schema: unknown, value: unknown, at: readonly string[], taken: string[][]): void {
  if (!isRecord(value)) return
  for (const [name, field] of Object.entries(shapeOf(schema) ?? {})) {
    const sent = Object.hasOwn(value, name) ? value[name] : undefined
    if (sent === '' && isOptionalText(field)) {
      delete (value as Record<string, unknown>)[name]
      taken.push([...at, name])
    } else if (isRecord(sent)) takeFrom(field, sent, [...at, name], taken)
  }
}

/** Puts them back into what a change was read as: the fields that it empties. */
export function putEmptyTexts(taken: EmptyTexts, fields: object): void {
  for (const path of taken) {
    let within = fields as Record<string, unknown> | undefined
    for (const name of path.slice(0, -1)) within = within?.[name] as Record<string, unknown> | undefined
    if (within) within[path.at(-1)!] = ''
  }
}

interface Def {
  readonly type: string
  readonly innerType?: { readonly def: Def }
}

function isOptionalText(field: { readonly def: object }): boolean {
  const { type, innerType } = field.def as Def
  return type === 'optional' && (innerType?.def.type === 'string' || innerType?.def.type === 'enum')
}
