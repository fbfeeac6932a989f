/** Overlays: files that describe how the real service was observed to differ. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { type Observed, type ObservedOperation, observedSchema } from '../service/vocabulary/observed.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { type Checked, checked, type Issue, toldOf } from '../lib/text/validation-messages.ts'
import { unknown } from '../lib/text/word-schemas.ts'
import { type Description, readDescription } from './described.ts'

/** An overlay that cannot be used. The message has a line for each issue, with file, line and column. */
export class OverlayError extends Error {
  override readonly name = 'OverlayError'
}

const LIMITS = { characters: 1_048_576, signs: 200_000 }
/** An overlay as it is written. */
export type Draft = z.input<ReturnType<typeof observedSchema>>

/** The JSON Schema of overlays, for editors. */
export const overlayJsonSchema = (): object => ({
  title: 'How the service was observed to differ from payments-sandbox',
  ...z.toJSONSchema(observedSchema(), { io: 'input', unrepresentable: 'any' }),
})

/** Checks a parsed overlay. */
export function checkOverlay(value: unknown, description: Description): Checked<Observed> {
  const result = checked(observedSchema(), value, fieldPath)
  if ('issues' in result) return result
  const { operations = {}, callbacks = {}, ...rest } = result.file
  const issues = Object.entries(operations).flatMap(([name, each]) =>
    description.operations.includes(name)
      ? unknownFields(name, each, description)
      : [
          {
            path: ['operations', name],
            on_key: true,
            message: unknown(name, 'an operation of this version', description.operations),
          },
        ],
  )
  return issues.length > 0 ? { issues, more: 0 } : { file: { ...rest, operations, callbacks } }
}

/** Reports fields that the sandbox does not send, and parameters that it does not read. */
function unknownFields(
  name: string,
  operation: ObservedOperation,
  description: Description,
): readonly Issue[] {
  const changes = [
    ...Object.entries(operation.responses ?? {}).flatMap(([status, list]) =>
      list.map((each, n) => ({
        place: status,
        at: ['operations', name, 'responses', status, n],
        change: each,
      })),
    ),
    ...(operation.callback
      ? [{ place: 'callback', at: ['operations', name, 'callback'], change: operation.callback }]
      : []),
  ]
  return changes.flatMap(({ place, at, change: { rename, remove, as, replace, form } }) => {
    const known = description.fields(name, place)
    if (known.length === 0)
      return [{ path: at, on_key: true, message: `${name} does not respond with ${place} in this version` }]
    const named = { rename, as, replace, form }
    const uses = [
      ...Object.entries(named).flatMap(([word, map]) =>
        Object.keys(map ?? {}).map((field) => ({ field, path: [...at, word, field] })),
      ),
      ...(remove ?? []).map((field, n) => ({ field, path: [...at, 'remove', n] })),
    ]
    return uses
      .filter(({ field }) => !known.includes(field))
      .map(({ field, path }) => ({
        path,
        on_key: true,
        message: unknown(field, `a field of ${name} ${place}`, known),
      }))
  })
}

/**
 * Reads an overlay, YAML or JSON.
 * @param file - The name in messages. Without one, the overlay is a setting, and messages contain the path of the field.
 * @throws OverlayError
 */
export async function readOverlay(content: string, file?: string): Promise<Observed> {
  const [{ checkedYaml }, description] = await Promise.all([
    import('../lib/text/yaml-text.ts'),
    readDescription(),
  ])
  const read = checkedYaml(content, LIMITS, (value) => checkOverlay(value, description))
  if ('file' in read) return read.file
  const lines = toldOf(
    read.issues,
    ({ line, column, path, message }) => {
      const field = file === undefined && path.length > 0 ? `${fieldPath(path)}: ` : ''
      return `${file ?? 'observed'}:${line}:${column}: ${field}${message}`
    },
    read.more,
  )
  throw new OverlayError(lines.join('\n'))
}

/** Reads the overlay of a file. @throws OverlayError */
export async function readOverlayFile(file: string): Promise<Observed> {
  const content = await readFile(file, 'utf8').catch(({ code, message }: NodeJS.ErrnoException) => {
    const why = code === 'ENOENT' ? 'no such file; write one with payments-sandbox learn' : message
    throw new OverlayError(`${file}: ${why}`)
  })
  return readOverlay(content, file)
}
