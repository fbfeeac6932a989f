import type { Components } from './components.ts'
import { type CodeOptions, schemaCode } from './schema-code.ts'

/**
 * The declarations of schemas.ts: every component, and the lenient variant of those that have one. Each is made when
 * it is first called for: to make them all takes longer than the rest of a start.
 * @param lazy where src/lib/lazy.ts is, as an import
 * @param http where src/http is
 */
export function componentCode({ names, schemas, lenient }: Components, lazy: string, http: string): string {
  const declaration = (name: string, source: string, options: CodeOptions) =>
    `export const ${name} = lazy(() => ${schemaCode(schemas[source]!, options)})\n` +
    `export type ${name} = z.infer<ReturnType<typeof ${name}>>\n`
  const declarations = names.map((name) => {
    const documented = declaration(name, name, { reference: (target) => `${target}()` })
    if (!lenient.has(name)) return documented
    return `${documented}\n${declaration(`${name}Lenient`, name, { reference: (target) => `${lenientName(lenient)(target)}()`, lenient: true })}`
  })
  const code = declarations.join('\n')
  const wire = code.includes('wire.') ? `import * as wire from '${http}/wire.ts'\n` : ''
  return `import * as z from 'zod'\n${wire}import { lazy } from '${lazy}'\n\n${code}`
}

/** How components are named in files that take all of schemas.ts as `schemas`. */
export function fromSchemas(components: Components, lenient = false): CodeOptions {
  const name = lenient ? lenientName(components.lenient) : (target: string) => target
  return { reference: (target) => `schemas.${name(target)}()`, lenient }
}

const lenientName = (lenient: ReadonlySet<string>) => (target: string) =>
  lenient.has(target) ? `${target}Lenient` : target
