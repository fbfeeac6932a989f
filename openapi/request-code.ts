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
  const requests = routesOf(document).map((route) => {
    const parts = partsOf(document, route, options).map(({ part, type }) => {
      const name = `${capital(route.id)}${capital(part)}`
      if (names.includes(name)) throw new Error(`${name} is a component, and what ${route.id} is sent`)
      return { part, name, code: `export type ${name} = ${type}\n` }
    })
    const whole = parts.map(({ part, name }) => `readonly ${part}: ${name}`).join('; ')
    return { codes: parts.map(({ code }) => code), entry: `readonly ${route.id}: { ${whole} }` }
  })
  const imports = imported.size ? `import type { ${[...imported].join(', ')} } from './types.ts'\n\n` : ''
  const types = [...inputs, ...requests.flatMap(({ codes }) => codes)]
  const map = requests.map(({ entry }) => entry).join('\n')
  return `${imports}${types.join('\n')}\n/** What each operation is given. */\nexport interface Requests {\n${map}\n}\n`
}

const places = { path: 'path', query: 'query', header: 'headers' } as const

function partsOf(document: OpenApiDocument, route: Route, options: TypeOptions) {
  const parts: { part: string; type: string }[] = []
  const schema = bodyOf(document, route)?.content?.['application/json']?.schema
  if (schema) parts.push({ part: 'body', type: typeCode(schema, options) })
  const parameters = route.parameters.map((each) => resolve<Parameter>(document, each))
  for (const [place, part] of Object.entries(places)) {
    const fields = parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema = {} }) => {
        const optional = !required && schema.default === undefined
        const key = JSON.stringify(place === 'header' ? name.toLowerCase() : name)
        return `readonly ${key}${optional ? '?' : ''}: ${typeCode(schema, options)}${optional ? ' | undefined' : ''}`
      })
    if (fields.length > 0) parts.push({ part, type: `{ ${fields.join('; ')} }` })
  }
  return parts
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)
