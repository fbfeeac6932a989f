import { fromSchemas } from './component-code.ts'
import type { Components } from './components.ts'
import {
  type Callback,
  methods,
  type OpenApiDocument,
  type RequestBody,
  resolve,
  routesOf,
  type Schema,
} from './document.ts'
import { schemaCode } from './schema-code.ts'

/**
 * The code of callbacks.ts: the body schema of each callback, by operation and callback name.
 * @throws when a callback is not one request with a JSON body
 */
export function callbackCode(document: OpenApiDocument, components: Components): string {
  const operations = routesOf(document).flatMap(({ id, operation }) => {
    const bodies = Object.entries(operation.callbacks ?? {}).map(([name, reference]) => {
      const callback = resolve<Callback>(document, reference)
      const schema = bodySchema(document, callback, `${id}: callback ${name}`)
      return `get ${name}() { return ${schemaCode(schema, fromSchemas(components))} }`
    })
    return bodies.length ? [`${id}: { ${bodies.join(', ')} },`] : []
  })
  const code = `/** The bodies of callbacks, by operation and name. */\nexport const callbacks = {\n${operations.join('\n')}\n}\n`
  return (
    (code.includes('z.') ? `import * as z from 'zod'\n` : '') +
    (code.includes('schemas.') ? `import * as schemas from './schemas.ts'\n\n` : '') +
    code
  )
}

function bodySchema(document: OpenApiDocument, callback: Callback, where: string): Schema {
  const requests = Object.values(callback).flatMap((item) => methods.flatMap((method) => item[method] ?? []))
  if (requests.length !== 1) throw new Error(`${where} must be one request, not ${requests.length}`)
  const body = requests[0]!.requestBody && resolve<RequestBody>(document, requests[0]!.requestBody)
  const schema = body?.content?.['application/json']?.schema
  if (!schema) throw new Error(`${where} needs an application/json body with a schema`)
  return schema
}
