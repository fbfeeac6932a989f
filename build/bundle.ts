/**
 * Bundles the program and the library into `dist/`, their dependencies included, so that a start reads a handful of files and the
 * package depends on nothing. What is only sometimes used is loaded by `import()` and stays in chunks of its own.
 */
import { cp, mkdir, rm } from 'node:fs/promises'
import { build, type Metafile } from 'esbuild'
import { writeCommonJs } from './commonjs.ts'
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

/** @returns which files were read, and what was written */
export async function bundle(): Promise<{
  readonly inputs: readonly string[]
  readonly outputs: Metafile['outputs']
}> {
  const modules = await build({
    ...form,
    sourcemap: 'inline',
    write: false,
    entryPoints: {
      cli: 'src/main.ts',
      index: 'src/index.ts',
      matchers: 'src/client/matchers.ts',
      receivers: 'src/callbacks/receivers/to-fetch.ts',
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
    plugins: [leftOut, ownSourcesOnly],
  })
  await mkdir('dist', { recursive: true })
  const outputs = await writeCommonJs(modules, form)
  for (const api of ['service', 'control', 'extensions'])
    await cp(`src/generated/${api}/openapi.json`, `dist/generated/${api}/openapi.json`)
  const migrations = 'storage/engine/postgres/migrations'
  // A file of an earlier build would be run as a migration of this release.
  await rm(`dist/${migrations}`, { recursive: true, force: true })
  await cp(`src/${migrations}`, `dist/${migrations}`, { recursive: true })
  const dashboard = await bundleDashboard('dist/dashboard')
  const embed = await bundleEmbed('dist/embed')
  return {
    inputs: Object.keys({ ...modules.metafile.inputs, ...dashboard.inputs, ...embed.inputs }),
    outputs: { ...outputs, ...dashboard.outputs, ...embed.outputs },
  }
}
