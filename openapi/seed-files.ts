import { formatted } from './formatted.ts'
import { stringify } from 'yaml'
import type { OpenApiDocument } from './document.ts'
import { defaultSeed } from '../src/worlds/default-seed.ts'

/** Returns the JSON Schema of a component of the control API's description, with the components it references. */
export function componentJsonSchema(control: OpenApiDocument, component: string, title: string): object {
  const schemas = control.components?.['schemas'] ?? {}
  const definitions: Record<string, unknown> = {}
  const local = (name: string): unknown => {
    const text = JSON.stringify(schemas[name])
    for (const [, other = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (other in definitions) continue
      // Reserve the name first: schemas may refer to each other in a circle.
      definitions[other] = {}
      definitions[other] = local(other)
    }
    return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'))
  }
  const schema = local(component) as object
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...schema,
    $defs: definitions,
  }
}

/** Returns the built-in seed as a file, a starting point for other seeds. */
export async function defaultSeedText(): Promise<string> {
  const text = `# yaml-language-server: $schema=seed.schema.json
# The default world, written by npm run generate from src/worlds/default-seed.ts. Copy it to begin your own.
${stringify(defaultSeed('demo', 'demo'))}`
  return formatted('default.yaml', text)
}
