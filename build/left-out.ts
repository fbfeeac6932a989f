import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

/** Unused imports of packages: which package imports which module, and the replacement. */
const unused: readonly { readonly by: RegExp; readonly of: RegExp; readonly instead: string }[] = [
  // It adds a method to schemas and thereby bundles all of zod, including messages in fifty languages.
  { by: /@hono[/\\]zod-openapi/, of: /^zod$/, instead: 'export const z = { ZodType: class {} }' },
  // Its builder can write YAML, which this project does not use.
  { by: /openapi3-ts/, of: /^yaml$/, instead: 'export {}' },
  // It validates user input for elicitation, which this server does not use, with a JSON Schema validator as large as all the rest.
  {
    by: /@modelcontextprotocol/,
    of: /^@modelcontextprotocol\/server\/_shims$/,
    instead:
      "import process from 'node:process'; export { process }; export class DefaultJsonSchemaValidator {}",
  },
]

/** The English locale; only the names of people are used. */
const english = /@faker-js[/\\]faker[/\\]dist[/\\]en-[^/\\]+\.js$/

/** Parts of a locale that make up first and last names. */
const names = /^(first|last)_name(_pattern)?$/

/** Reduces a locale to its metadata and the names of people. */
async function namesOnly(path: string): Promise<string> {
  const { t: language } = (await import(pathToFileURL(path).href)) as { t: Language }
  const person = Object.entries(language.person).filter(([name]) => names.test(name))
  return `export const t = ${JSON.stringify({ metadata: language.metadata, person: Object.fromEntries(person) })}`
}

interface Language {
  readonly metadata: unknown
  readonly person: { readonly [name: string]: unknown }
}

/** Leaves out of the bundle the imports listed in `unused`, and everything in the English locale but names. */
export const leftOut: Plugin = {
  name: 'left-out',
  setup(build) {
    build.onLoad({ filter: english }, async ({ path }) => ({ contents: await namesOnly(path) }))
    for (const [n, { by, of, instead }] of unused.entries()) {
      const namespace = `left-out-${n}`
      build.onResolve({ filter: of }, ({ path, importer }) =>
        by.test(importer) ? { path, namespace } : undefined,
      )
      build.onLoad({ filter: /.*/, namespace }, () => ({ contents: instead }))
    }
  },
}
