import { rm, writeFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild'

/** As `import.meta.url`, which CommonJS has not. */
const HERE = 'urlOfThisModule'

/**
 * What hardly anybody asks of a sandbox in his own process, and would be in the package twice: CommonJS loads the ES module, as Node.js can
 * that is new enough. Jest cannot.
 */
const AS_IT_IS = ['src/mcp/http.ts']

/**
 * Writes the modules of the library a second time, as CommonJS beside the ES modules, for whoever can only `require`, as Jest does as it
 * comes. They are made of the bundled chunks, so that what is loaded only when it is used stays in chunks here, too.
 * @param entries names of modules in `folder`, such as `index.js`
 * @param bundled what the ES modules were made of
 * @param form how modules are to look
 */
export async function writeCommonJs(
  entries: readonly string[],
  folder: string,
  bundled: Metafile,
  form: BuildOptions,
): Promise<void> {
  const asItIs = Object.entries(bundled.outputs).flatMap(([file, { entryPoint }]) =>
    AS_IT_IS.includes(entryPoint ?? '') ? [file] : [],
  )
  const reached = reachedFrom(
    entries.map((entry) => `${folder}/${entry}`),
    bundled,
    asItIs,
  )
  const alone = [...reached].filter(standsAlone(bundled))
  const write = (files: readonly string[], sourcemap: BuildOptions['sourcemap']) =>
    build({
      ...form,
      sourcemap,
      entryPoints: [...files],
      outdir: folder,
      outExtension: { '.js': '.cjs' },
      bundle: true,
      format: 'cjs',
      // Jest runs no import() in its sandbox; require() does the same, as late.
      supported: { 'dynamic-import': false },
      define: { 'import.meta.url': HERE },
      banner: { js: `"use strict";const ${HERE}=require('node:url').pathToFileURL(__filename).href;` },
      plugins: [apartFrom(asItIs)],
    })
  const others = [...reached].filter((file) => !alone.includes(file))
  await Promise.all([write(alone, false), write(others, form.sourcemap)])
  await Promise.all(alone.map((file) => lendFrom(file, bundled)))
}

/** The outputs that modules import, at once or later, and they themselves; not through those that stay as they are. */
function reachedFrom(
  entries: readonly string[],
  { outputs }: Metafile,
  asItIs: readonly string[],
): ReadonlySet<string> {
  const reached = new Set<string>()
  const left = [...entries]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    const output = outputs[file]
    if (reached.has(file) || asItIs.includes(file) || !output) continue
    reached.add(file)
    left.push(...output.imports.map(({ path }) => path))
  }
  return reached
}

/** Leaves each chunk a file of its own. */
const apartFrom = (asItIs: readonly string[]): Plugin => ({
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/.*\.js$/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      const stays = asItIs.some((file) => basename(file) === basename(path))
      return { path: stays ? path : `./${asCommonJs(path)}`, external: true }
    })
  },
})

const asCommonJs = (file: string) => `${basename(file, extname(file))}.cjs`

/** Whether a chunk is of packages that are loaded when they are used, and shares nothing with others that might then be there twice. */
const standsAlone = (bundled: Metafile) => (file: string) => {
  const { inputs, imports } = bundled.outputs[file]!
  return (
    isLoadedLate(file, bundled) &&
    Object.keys(inputs).every((input) => input.includes('node_modules/')) &&
    imports.every(({ path, external }) => external || Object.keys(bundled.outputs[path]!.inputs).length === 0)
  )
}

/** Whether nobody imports it at once, nor what imports it at once. */
function isLoadedLate(file: string, bundled: Metafile): boolean {
  const ways = Object.entries(bundled.outputs).flatMap(([from, { imports }]) =>
    imports.filter(({ path }) => path === file).map(({ kind }) => ({ from, kind })),
  )
  return (
    ways.length > 0 &&
    ways.every(({ from, kind }) => kind === 'dynamic-import' || isLoadedLate(from, bundled))
  )
}

/** Has an ES module hand on what its CommonJS has, so that a large package is there once. */
async function lendFrom(file: string, { outputs }: Metafile): Promise<void> {
  const names = outputs[file]!.exports.filter((name) => name !== 'default')
  const lines = [
    `import all from'./${asCommonJs(file)}';`,
    names.length > 0 && `export const{${names.join(',')}}=all;`,
    outputs[file]!.exports.includes('default') && 'export default all.default;',
  ]
  await writeFile(file, lines.filter(Boolean).join(''))
  await rm(`${file}.map`, { force: true })
}
