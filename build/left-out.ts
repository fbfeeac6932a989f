import type { Plugin } from 'esbuild'

/** What packages ask for that nothing here uses of them, by the package that asks and what it asks for. */
const unused: readonly { readonly by: RegExp; readonly of: RegExp; readonly instead: string }[] = [
  // It gives schemas a method for which it takes all of zod along, with its messages in fifty languages.
  { by: /@hono[/\\]zod-openapi/, of: /^zod$/, instead: 'export const z = { ZodType: class {} }' },
  // Its builder can write YAML; descriptions are made here without it.
  { by: /openapi3-ts/, of: /^yaml$/, instead: 'export {}' },
]

/** Leaves out of the bundle what `unused` names. */
export const leftOut: Plugin = {
  name: 'left-out',
  setup(build) {
    for (const [n, { by, of, instead }] of unused.entries()) {
      const namespace = `left-out-${n}`
      build.onResolve({ filter: of }, ({ path, importer }) =>
        by.test(importer) ? { path, namespace } : undefined,
      )
      build.onLoad({ filter: /.*/, namespace }, () => ({ contents: instead }))
    }
  },
}
