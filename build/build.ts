/**
 * `npm run build`: bundles the program and the library into `dist/`, their dependencies included, so that a start reads a handful of
 * files and the package depends on nothing. What is only sometimes used is loaded by `import()` and stays in
 * chunks of its own.
 */
import { cp, rm, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { leftOut } from './left-out.ts'
import { licencesOf } from './licences.ts'
import { sbomOf } from './sbom.ts'
import { writeTypes } from './types.ts'

await rm('dist', { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: { cli: 'src/main.ts', index: 'src/index.ts', matchers: 'src/client/matchers.ts' },
  outdir: 'dist',
  // src/files.ts counts on all modules lying in dist itself.
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  // Names stay, so that a trace can be read.
  keepNames: false,
  legalComments: 'none',
  metafile: true,
  // Bundled CommonJS modules ask for node's own by require().
  banner: {
    js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);",
  },
  logLevel: 'warning',
  plugins: [leftOut],
})
for (const api of ['service', 'control'])
  for (const form of ['json', 'yaml'])
    await cp(`src/generated/${api}/openapi.${form}`, `dist/generated/${api}/openapi.${form}`)
await writeTypes(['index', 'client/matchers'], 'dist/types')
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await licencesOf(Object.keys(metafile.inputs)))
await writeFile('dist/sbom.cdx.json', await sbomOf(Object.keys(metafile.inputs)))

const sizes = Object.entries(metafile.outputs).map(([file, { bytes }]) => ({ file, bytes }))
for (const { file, bytes } of sizes.sort((a, b) => b.bytes - a.bytes))
  console.log(`${String(Math.round(bytes / 1024)).padStart(6)} KB  ${file}`)
