import type { Components } from './components.ts'
import { bodyOf, type OpenApiDocument, type Parameter, resolve, type Route, routesOf } from './document.ts'
import { typeCode, type TypeOptions } from './type-code.ts'

/**
 * The code of requests.ts: what handlers are given of each operation's request once it is checked, as plain types: the body
 * as the profile `lenient` takes it and without the fields that are not used, and the parameters with their defaults filled in.
 * @throws when a type would have the name of a component
 */
export function requestsCode(document: OpenApiDocument, components: Components): string {
  const { names, schemas, narrowed } = components
  const imported = new Set<string>()
  const reference = (target: string) => {
    if (narrowed.has(target)) return `${target}Input`
    imported.add(target)
    return target
  }
  const options = { reference, lenient: true, used: true }
  const inputs = names
    .filter((name) => narrowed.has(name))
    .map((name) => `export type ${name}Input = ${typeCode(schemas[name]!, options)}\n`)
  const requests = routesOf(document).flatMap((route) =>
    Object.entries(partsOf(document, route, options)).map(([part, type]) => {
      const name = `${route.id[0]!.toUpperCase()}${route.id.slice(1)}${part}`
      if (names.includes(name)) throw new Error(`${name} is a component, and what ${route.id} is sent`)
      return `export type ${name} = ${type}\n`
    }),
  )
  const imports = imported.size ? `import type { ${[...imported].join(', ')} } from './types.ts'\n\n` : ''
  return `${imports}${[...inputs, ...requests].join('\n')}`
}

function partsOf(document: OpenApiDocument, route: Route, options: TypeOptions): Record<string, string> {
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
