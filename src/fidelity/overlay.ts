/** Overlays: files that describe how the real service was observed to differ. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { Observed, ObservedOperation } from '../service/vocabulary/observed.ts'
import { forms } from '../service/vocabulary/observed.ts'
import { lazy } from '../lib/lazy.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { parseDuration } from '../lib/text/duration.ts'
import { type Issue, issuesOf, reporting, toldOf } from '../lib/text/validation-messages.ts'
import type { YamlPlace } from '../lib/text/yaml-text.ts'
import { duration, number, oneOf, text, unknown, whole, words } from '../scenarios/word-schemas.ts'
import { type Description, readDescription } from './described.ts'

/** An overlay that cannot be used. The message has a line for each issue, with file, line and column. */
export class OverlayError extends Error {
  override readonly name = 'OverlayError'
}

const LIMITS = { characters: 1_048_576, signs: 200_000 }
const paths = <Value extends z.ZodType>(value: Value) =>
  z.record(text(), value, { error: 'must be a map of fields' })
const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: 'must be a list' })
const seen = () => whole(0).describe('The number of observations.')

/** The schema of an overlay; durations are written as `9.4s`. */
const overlaySchema = lazy(() => {
  const form = () => text().regex(/[#@*]/, { error: 'must contain # (a digit), @ (a letter) or * (either)' })
  const headers = () => ({ add: paths(text()).optional(), remove: list(text()).optional() })
  const change = () => ({
    rename: paths(text()).optional().describe('Fields with their new names.'),
    remove: list(text()).optional().describe('Fields that the service does not send.'),
    add: paths(z.unknown())
      .optional()
      .describe('Fields with their values; {reference} stands for a field of the response or the request.'),
    as: paths(oneOf('a form', forms)).optional().describe('Fields in another form.'),
    replace: paths(list(words({ from: z.unknown(), to: z.unknown() })))
      .optional()
      .describe('Fields with other values.'),
    form: paths(form()).optional().describe('Fields with drawn texts: # is a digit, @ a letter, * either.'),
    headers: words(headers()).optional(),
    seen: seen(),
  })
  const condition = z.union([
    words({ above: number() }),
    words({ below: number() }),
    words({ missing: z.literal(true) }),
    words({ repeated: z.literal(true) }),
    words({ one_of: list(z.unknown()) }),
  ])
  const status = whole(200, 599)
  const operation = words({
    responses: z
      .record(
        z.string().regex(/^[2-5]\d\d$/, { error: 'must be the status that the sandbox returns' }),
        list(
          words({
            message: words({ from: text(), to: text().optional() }).optional(),
            status: status.optional(),
            ...change(),
          }),
        ),
      )
      .optional(),
    accept: list(words({ message: text(), with: paths(z.unknown()), seen: seen() })).optional(),
    reject: list(words({ when: paths(condition), status, body: z.unknown(), seen: seen() })).optional(),
    query: paths(text()).optional(),
    settle_after: words({ median: duration(), p95: duration(), seen: seen() }).optional(),
    callback: words({ times: whole(0, 10).optional(), ...change() }).optional(),
  })
  return words({
    observed: z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: 'must be a day such as 2026-11-23, in quotes' }),
    evidence: words({ file: text(), entries: whole(0), sha256: text() }),
    operations: z.record(text(), operation).optional(),
    callbacks: words({
      retries: words({ schedule: list(duration()), seen: seen() }).optional(),
      headers: words({ ...headers(), seen: seen() }).optional(),
    }).optional(),
    references: words({
      form: form().regex(/(#.*){6}/, {
        error: 'must contain # at least six times, so that references are unique',
      }),
      seen: seen(),
    }).optional(),
  })
})

/** An overlay as it is written. */
export type Draft = z.input<ReturnType<typeof overlaySchema>>

/** The JSON Schema of overlays, for editors. */
export const overlayJsonSchema = (): object => ({
  title: 'How the service was observed to differ from payments-sandbox',
  ...z.toJSONSchema(overlaySchema(), { io: 'input', unrepresentable: 'any' }),
})

type Checked = { readonly overlay: Observed } | { readonly issues: readonly Issue[]; readonly more: number }

/** Checks a parsed overlay. */
export function checkOverlay(value: unknown, description: Description): Checked {
  const result = overlaySchema().safeParse(value, reporting)
  if (!result.success) {
    const { told, more } = issuesOf(result.error, { name: fieldPath })
    return { issues: told, more }
  }
  const { operations = {}, callbacks, ...rest } = result.data
  const issues = Object.entries(operations).flatMap(([name, each]) =>
    description.operations.includes(name)
      ? unknownFields(name, each as ObservedOperation, description)
      : [
          {
            path: ['operations', name],
            on_key: true,
            message: unknown(name, 'an operation of this version', description.operations),
          },
        ],
  )
  if (issues.length > 0) return { issues, more: 0 }
  const inMs = Object.entries(operations).map(([name, { settle_after: after, ...each }]) => {
    const settle_after = after && {
      ...after,
      median: parseDuration(after.median),
      p95: parseDuration(after.p95),
    }
    return [name, { ...each, ...(settle_after && { settle_after }) }]
  })
  const { retries, ...others } = callbacks ?? {}
  const schedule = retries?.schedule.map((gap) => parseDuration(gap))
  return {
    overlay: {
      ...rest,
      operations: Object.fromEntries(inMs) as { [name: string]: ObservedOperation },
      callbacks: { ...others, ...(retries && { retries: { ...retries, schedule: schedule! } }) },
    },
  }
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
  const [{ readYaml }, description] = await Promise.all([
    import('../lib/text/yaml-text.ts'),
    readDescription(),
  ])
  const refuse = (issues: readonly (YamlPlace & Issue)[], more = 0): never => {
    const lines = toldOf(
      issues,
      ({ line, column, path, message }) => {
        const field = file === undefined && path.length > 0 ? `${fieldPath(path)}: ` : ''
        return `${file ?? 'observed'}:${line}:${column}: ${field}${message}`
      },
      more,
    )
    throw new OverlayError(lines.join('\n'))
  }
  const read = readYaml(content, LIMITS)
  if ('issues' in read) return refuse(read.issues.map((issue) => ({ ...issue, path: [] })))
  const checked = checkOverlay(read.value, description)
  if ('overlay' in checked) return checked.overlay
  const { issues, more } = checked
  return refuse(
    issues.map((issue) => ({ ...issue, ...read.place(issue.path, issue.on_key) })),
    more,
  )
}

/** Reads the overlay of a file. @throws OverlayError */
export async function readOverlayFile(file: string): Promise<Observed> {
  const content = await readFile(file, 'utf8').catch(({ code, message }: NodeJS.ErrnoException) => {
    const why = code === 'ENOENT' ? 'no such file; write one with payments-sandbox learn' : message
    throw new OverlayError(`${file}: ${why}`)
  })
  return readOverlay(content, file)
}
