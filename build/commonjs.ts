import { writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild'

/** As `import.meta.url`, which CommonJS has not. */
const HERE = 'urlOfThisModule'

/**
 * Writes ES modules as CommonJS, and beside each entry an ES module that hands on what it exports: so all code is there once, for whoever imports
 * and for whoever can only `require`, as Jest does as it comes. That CommonJS hands on ES modules instead is no way: Node.js 22 learned it with
 * 22.12, and Jest has not.
 * @param bundled the ES modules, their maps in them, and what they were made of
 * @param form how modules are to look
 */
export async function writeCommonJs(
  { outputFiles, metafile }: { readonly outputFiles: readonly OutputFile[]; readonly metafile: Metafile },
  form: BuildOptions,
): Promise<Metafile['outputs']> {
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]))
  const write = (files: readonly string[], own: BuildOptions) =>
    build({
      ...form,
      ...own,
      entryPoints: [...files],
      outdir: dirname(files[0]!),
      outExtension: { '.js': '.cjs' },
      bundle: true,
      format: 'cjs',
      // Jest runs no import() in its sandbox; require() does the same, as late.
      supported: { 'dynamic-import': false },
      define: { 'import.meta.url': HERE },
      banner: { js: '"use strict";' },
      inject: [join(import.meta.dirname, 'here.js')],
      metafile: true,
      plugins: [modulesOf(texts)],
    })
  const [foreign, own] = [true, false].map((is) =>
    Object.keys(metafile.outputs).filter((file) => isForeign(metafile.outputs[file]!) === is),
  ) as [string[], string[]]
  const [ours, theirs] = await Promise.all([
    write(own, {}),
    // A trace is read for lines that were written here.
    write(foreign, { minifyIdentifiers: true, sourcemap: false }),
    ...Object.entries(metafile.outputs).flatMap(([file, { entryPoint, exports }]) =>
      entryPoint !== undefined && !isLoadedLate(file) ? [writeFile(file, handOn(file, exports))] : [],
    ),
  ])
  return { ...ours.metafile.outputs, ...theirs.metafile.outputs }
}

/** Their names have a hash in them. */
const isLoadedLate = (file: string) => basename(file).includes('-')

const asCommonJs = (file: string) => `./${basename(file, '.js')}.cjs`

/** Node.js finds the names of a CommonJS module as esbuild writes it. */
const handOn = (file: string, names: readonly string[]) =>
  names.length === 0
    ? `import'${asCommonJs(file)}'\n`
    : `export{${names.join(',')}}from'${asCommonJs(file)}'\n`

/** Reads modules that are nowhere on disk, and leaves each a file of its own. */
const modulesOf = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: 'modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.js$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? { path: resolve(path) } : { path: asCommonJs(path), external: true },
    )
    onLoad({ filter: /\.js$/ }, ({ path }) => ({ contents: texts.get(path)!, loader: 'js' }))
  },
})

/** Hardly a line is of this project. */
function isForeign({ inputs }: Metafile['outputs'][string]): boolean {
  const bytes = (of: string) =>
    Object.entries(inputs).reduce(
      (sum, [path, { bytesInOutput }]) => sum + (path.includes(of) ? bytesInOutput : 0),
      0,
    )
  return bytes('') > 2_000 && bytes('') - bytes('node_modules/') < bytes('') / 100
}
