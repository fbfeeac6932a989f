/**
 * Bundles the program and the library into `dist/`, their dependencies included, so that a start reads a handful of files and the
 * package depends on nothing. What is only sometimes used is loaded by `import()` and stays in chunks of its own.
 */
import { cp } from 'node:fs/promises'
import { build, type Metafile } from 'esbuild'
import { bundleDashboard } from './dashboard.ts'
import { bundleEmbed } from './embed.ts'
import { leftOut } from './left-out.ts'
import { ownSourcesOnly } from './source-maps.ts'

/** How modules are to look. */
export const form = {
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  // Names stay, so that a trace can be read.
  keepNames: false,
  legalComments: 'none',
  // With an uncaught error Node.js prints the whole line that it was thrown in.
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} as const

/** @returns what was read and written, of the program and of what browsers load */
export async function bundle(): Promise<{ readonly metafile: Metafile; readonly browser: Metafile }> {
  const { metafile } = await build({
    ...form,
    entryPoints: {
      cli: 'src/main.ts',
      index: 'src/index.ts',
      matchers: 'src/client/matchers.ts',
      receivers: 'src/receivers/to-fetch.ts',
      certify: 'src/certify/library.ts',
    },
    outdir: 'dist',
    // src/files.ts counts on all modules lying in dist itself.
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    metafile: true,
    // Bundled CommonJS modules ask for node's own by require().
    banner: {
      js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);",
    },
    plugins: [leftOut, ownSourcesOnly],
  })
  for (const api of ['service', 'control', 'extensions'])
    await cp(`src/generated/${api}/openapi.json`, `dist/generated/${api}/openapi.json`)
  await cp('src/engine/postgres/migrations', 'dist/engine/postgres/migrations', { recursive: true })
  const dashboard = await bundleDashboard('dist/dashboard')
  const embed = await bundleEmbed('dist/embed')
  return {
    metafile,
    browser: {
      inputs: { ...dashboard.inputs, ...embed.inputs },
      outputs: { ...dashboard.outputs, ...embed.outputs },
    },
  }
}
