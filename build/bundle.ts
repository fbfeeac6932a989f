/**
 * Bundles the program, the library and their dependencies into `dist/`, so that a start reads few files and the package
 * has no dependencies. Rarely used parts are separate chunks, loaded by `import()`.
 */
import { cp, mkdir, rm } from 'node:fs/promises'
import { build, type Metafile } from 'esbuild'
import { writeCommonJs } from './commonjs.ts'
import { bundleDashboard } from './dashboard.ts'
import { bundleEmbed } from './embed.ts'
import { leftOut } from './left-out.ts'
import { ownSourcesOnly } from './source-maps.ts'

/** Options of all modules. */
export const form = {
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  // Identifiers are not minified, which keeps stack traces readable.
  keepNames: false,
  legalComments: 'none',
  // For an uncaught error, Node.js prints the whole line that threw it.
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} as const

/** Returns the files that were read and the files that were written. */
export async function bundle(): Promise<{
  readonly inputs: readonly string[]
  readonly outputs: Metafile['outputs']
}> {
  const modules = await build({
    ...form,
    sourcemap: 'inline',
    write: false,
    entryPoints: {
      cli: 'src/cli/main.ts',
      index: 'src/index.ts',
      matchers: 'src/client/matchers.ts',
      receivers: 'src/callbacks/receivers/to-fetch.ts',
      certify: 'src/certify/library.ts',
      fidelity: 'src/fidelity/library.ts',
      jest: 'src/client/fixtures/jest.ts',
      playwright: 'src/client/fixtures/playwright.ts',
      nodetest: 'src/client/fixtures/node-test.ts',
    },
    outdir: 'dist',
    // src/lib/files.ts resolves paths relative to dist, so all modules are directly in dist.
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
  await bundleVitest()
  for (const api of ['service', 'control', 'extensions'])
    await cp(`src/generated/${api}/openapi.json`, `dist/generated/${api}/openapi.json`)
  const migrations = 'storage/engine/postgres/migrations'
  // Otherwise a migration left over from an earlier build would run.
  await rm(`dist/${migrations}`, { recursive: true, force: true })
  await cp(`src/${migrations}`, `dist/${migrations}`, { recursive: true })
  const dashboard = await bundleDashboard('dist/dashboard')
  const embed = await bundleEmbed('dist/embed')
  return {
    inputs: Object.keys({ ...modules.metafile.inputs, ...dashboard.inputs, ...embed.inputs }),
    outputs: { ...outputs, ...dashboard.outputs, ...embed.outputs },
  }
}

/** Vitest can only be imported by ES modules. */
const bundleVitest = () =>
  build({
    ...form,
    entryPoints: ['src/client/fixtures/vitest.ts'],
    outfile: 'dist/vitest.js',
    bundle: true,
    format: 'esm',
    external: ['vitest', './index.js', './matchers.js'],
    plugins: [
      {
        name: 'modules of the package',
        setup({ onResolve }) {
          onResolve({ filter: /\/(index|matchers)\.ts$/ }, ({ path }) => ({
            path: `./${path.replace(/.*\/(\w+)\.ts$/, '$1')}.js`,
            external: true,
          }))
        },
      },
    ],
  })
