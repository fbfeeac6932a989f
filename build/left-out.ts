import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

/** What packages ask for that nothing here uses of them, by the package that asks and what it asks for. */
const unused: readonly { readonly by: RegExp; readonly of: RegExp; readonly instead: string }[] = [
  // It gives schemas a method for which it takes all of zod along, with its messages in fifty languages.
  { by: /@hono[/\\]zod-openapi/, of: /^zod$/, instead: 'export const z = { ZodType: class {} }' },
  // Its builder can write YAML; descriptions are made here without it.
  { by: /openapi3-ts/, of: /^yaml$/, instead: 'export {}' },
  // It would check what users answer to a server that asks them, with a validator of JSON Schema as large as all the rest; none asks here.
  {
    by: /@modelcontextprotocol/,
    of: /^@modelcontextprotocol\/server\/_shims$/,
    instead:
      "import process from 'node:process'; export { process }; export class DefaultJsonSchemaValidator {}",
  },
]

/** The words of English, of which only the names of people are drawn. */
const english = /@faker-js[/\\]faker[/\\]dist[/\\]en-[^/\\]+\.js$/

/** What is drawn from: all of it that first and last names are made of. */
const names = /^(first|last)_name(_pattern)?$/

/** A language without its words for airlines, animals and the rest. */
async function namesOnly(path: string): Promise<string> {
  const { t: language } = (await import(pathToFileURL(path).href)) as { t: Language }
  const person = Object.entries(language.person).filter(([name]) => names.test(name))
  return `export const t = ${JSON.stringify({ metadata: language.metadata, person: Object.fromEntries(person) })}`
}

interface Language {
  readonly metadata: unknown
  readonly person: { readonly [name: string]: unknown }
}

/** Leaves out of the bundle what `unused` names, and what English has beside names. */
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
