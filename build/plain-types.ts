/**
 * Rewrites a declaration file of zod schemas into the plain types that the schemas infer, so that whoever uses the
 * package needs no zod: `export declare const X: z.ZodObject<{ a: z.ZodString }, …>` becomes `export type X = { a: string }`.
 * @throws Error at a kind of schema that is not known here
 */
export function plainTypes(declarations: string): string {
  return declarations
    .split(/^(?=export )/m)
    .slice(1)
    .filter((text) => text.startsWith('export declare const '))
    .map((text) => {
      const [, name, schema] = /^export declare const (\w+): ([^]*);\s*$/.exec(
        text.slice(0, text.lastIndexOf(';') + 1),
      )!
      return `export type ${name} = ${typeOf(schema!)};\n`
    })
    .join('')
}

const simple: { readonly [kind: string]: string } = {
  ZodBoolean: 'boolean',
  ZodEmail: 'string',
  ZodInt: 'number',
  ZodISODateTime: 'string',
  ZodNull: 'null',
  ZodNumber: 'number',
  ZodString: 'string',
  ZodUnknown: 'unknown',
  ZodURL: 'string',
}

/** The type that a schema such as `z.ZodArray<z.ZodString>` infers. */
function typeOf(schema: string): string {
  const [, kind, inner] = /^z\.(\w+)(?:<([^]*)>)?$/.exec(schema.trim()) ?? []
  const parts = inner === undefined ? [] : split(inner, ',')
  const [first = '', second = ''] = parts
  switch (kind) {
    case 'ZodArray':
      return `(${typeOf(first)})[]`
    case 'ZodEnum':
      return fields(first)
        .map(([, value]) => value)
        .join(' | ')
    case 'ZodLiteral':
      return first
    case 'ZodNullable':
      return `${typeOf(first)} | null`
    case 'ZodObject':
      return objectOf(first, second)
    case 'ZodOptional':
      return `${typeOf(first)} | undefined`
    case 'ZodRecord':
      return `{ [name: ${typeOf(first)}]: ${typeOf(second)} }`
    case 'ZodUnion':
      return split(/^readonly \[([^]*)\]$/.exec(first.trim())![1]!, ',')
        .map(typeOf)
        .join(' | ')
  }
  const plain = kind && simple[kind]
  if (!plain) throw new Error(`no plain type is known for ${schema.slice(0, 80)}`)
  return plain
}

function objectOf(shape: string, mode: string): string {
  const lines = fields(shape).map(([name, schema]) => {
    const mark = schema.startsWith('z.ZodOptional<') ? '?' : ''
    return `${name}${mark}: ${typeOf(schema)};`
  })
  if (mode.endsWith('$loose')) lines.push('[name: string]: unknown;')
  return `{ ${lines.join(' ')} }`
}

/** The names and what stands beside them in `{ a: …; b: …; }`. */
function fields(braced: string): [string, string][] {
  return split(braced.trim().slice(1, -1), ';').map((field) => {
    const at = field.indexOf(':')
    return [field.slice(0, at).trim(), field.slice(at + 1).trim()]
  })
}

/** The parts between separators that are in no brackets; empty ones are left out. */
function split(text: string, separator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at] ?? separator
    if ('<{['.includes(sign)) depth++
    else if ('>}]'.includes(sign)) depth--
    else if (sign === separator && depth === 0) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return parts.filter(Boolean)
}
