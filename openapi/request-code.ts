import type { Components } from './components.ts'
import { lenientName } from './component-code.ts'
import { bodyOf, type OpenApiDocument, type Parameter, resolve, type Route, routesOf } from './document.ts'
import { typeCode } from './type-code.ts'

/**
 * The code of requests.ts: what handlers are given of each operation's request once it is checked, as plain types: the body
 * as the profile `lenient` takes it, and the parameters with their defaults filled in.
 * @throws when a type would have the name of a component
 */
export function requestsCode(document: OpenApiDocument, components: Components): string {
  const { names, schemas, lenient } = components
  const used = new Set<string>()
  const name = lenientName(lenient)
  const reference = (target: string) => {
    if (!lenient.has(target)) used.add(target)
    return name(target)
  }
  const options = { reference, lenient: true }
  const demandLess = names
    .filter((each) => lenient.has(each))
    .map((each) => `export type ${name(each)} = ${typeCode(schemas[each]!, options)}\n`)
  const requests = routesOf(document).flatMap((route) =>
    Object.entries(partsOf(document, route, options)).map(([part, type]) => {
      const full = `${route.id[0]!.toUpperCase()}${route.id.slice(1)}${part}`
      if (names.includes(full)) throw new Error(`${full} is a component, and what ${route.id} is sent`)
      return `export type ${full} = ${type}\n`
    }),
  )
  const imports = used.size ? `import type { ${[...used].join(', ')} } from './types.ts'\n\n` : ''
  return `${imports}${[...demandLess, ...requests].join('\n')}`
}

function partsOf(
  document: OpenApiDocument,
  route: Route,
  options: Parameters<typeof typeCode>[1],
): Record<string, string> {
  const parts: Record<string, string> = {}
  const schema = bodyOf(document, route)?.content?.['application/json']?.schema
  if (schema) parts['Body'] = typeCode(schema, options)
  for (const [place, part] of [
    ['path', 'Path'],
    ['query', 'Query'],
  ] as const) {
    const parameters = route.parameters
      .map((each) => resolve<Parameter>(document, each))
      .filter((each) => each.in === place)
    if (parameters.length === 0) continue
    const fields = parameters.map(({ name, required, schema = {} }) => {
      const optional = !required && schema.default === undefined
      return `readonly ${JSON.stringify(name)}${optional ? '?' : ''}: ${typeCode(schema, options)}${optional ? ' | undefined' : ''}`
    })
    parts[part] = `{ ${fields.join('; ')} }`
  }
  return parts
}
