import { writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild'

/** Replaces `import.meta.url`, which CommonJS lacks. */
const HERE = 'urlOfThisModule'

/**
 * Writes ES modules as CommonJS, and for each entry an ES module that re-exports the CommonJS module. The package then
 * contains the code once, for `import` and for `require`. The other way round is impossible: Node.js can `require` ES
 * modules only from 22.12, and Jest cannot at all.
 * @param bundled - The ES modules with inline source maps, and their metafile
 * @param form - Options of all modules
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
      // Jest does not support import() in its sandbox; require() loads just as lazily.
      supported: { 'dynamic-import': false },
      define: { 'import.meta.url': HERE },
      banner: { js: '"use strict";' },
      inject: [join(import.meta.dirname, 'here.js')],
      metafile: true,
      plugins: [modulesOf(texts)],
      logOverride: { 'commonjs-variable-in-esm': 'silent' },
    })
  const [foreign, own] = [true, false].map((is) =>
    Object.keys(metafile.outputs).filter((file) => isForeign(metafile.outputs[file]!) === is),
  ) as [string[], string[]]
  const [ours, theirs] = await Promise.all([
    write(own, {}),
    // Stack traces need the identifiers and maps of our own code only.
    write(foreign, { minifyIdentifiers: true, sourcemap: false }),
    ...Object.entries(metafile.outputs).flatMap(([file, { entryPoint, exports }]) =>
      entryPoint !== undefined && !isLoadedLate(file) ? [writeFile(file, handOn(file, exports))] : [],
    ),
  ])
  return { ...ours.metafile.outputs, ...theirs.metafile.outputs }
}

/** Chunk names contain a hash. */
const isLoadedLate = (file: string) => basename(file).includes('-')

const asCommonJs = (file: string) => `./${basename(file, '.js')}.cjs`

/** Node.js detects the named exports of CommonJS modules in the form that esbuild writes. */
const handOn = (file: string, names: readonly string[]) =>
  names.length === 0
    ? `import'${asCommonJs(file)}'\n`
    : `export{${names.join(',')}}from'${asCommonJs(file)}'\n`

/** Resolves modules from memory and keeps each as a separate file. */
const modulesOf = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: 'modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.js$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? { path: resolve(path) } : { path: asCommonJs(path), external: true },
    )
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = texts.get(path)!
      return { contents: isLoadedLate(path) ? withPlainExports(text) : text, loader: 'js' }
    })
  },
})

const EXPORTS = /\bexport\s*\{([^{}]*)\};?(?=\s*(?:\/\/# sourceMappingURL=\S*\s*)?$)/

/**
 * Exports the values that a chunk has at its end; none changes later. esbuild exports a getter of a getter for each, which
 * V8 cannot inline, and a payment calls many functions of other chunks.
 */
function withPlainExports(text: string): string {
  if (/^export default/m.test(text)) return text
  return text.replace(EXPORTS, (_, names: string) => {
    const fields = names.split(',').map((name) =>
      name
        .trim()
        .split(/\s+as\s+/)
        .toReversed()
        .join(':'),
    )
    return `module.exports=Object.defineProperty({${fields.join(',')}},"__esModule",{value:true});`
  })
}

/** Returns true if less than 1 % of a module comes from this project. */
function isForeign({ inputs }: Metafile['outputs'][string]): boolean {
  const bytes = (of: string) =>
    Object.entries(inputs).reduce(
      (sum, [path, { bytesInOutput }]) => sum + (path.includes(of) ? bytesInOutput : 0),
      0,
    )
  return bytes('') > 2_000 && bytes('') - bytes('node_modules/') < bytes('') / 100
}
