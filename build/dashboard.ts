import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild'
import { tokens } from '../src/pages/tokens.ts'
import { formSchemas } from './form-schemas.ts'

const FIRST = 'dashboard/main.tsx'

/** The first versions with `light-dark()`, the newest feature that the style sheets use. */
export const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

/**
 * Bundles the dashboard for browsers: a script for the first page, lazily loaded chunks and a style sheet. File names
 * contain a hash of the content; `built.json` lists them and is written last.
 * @param folder - Files from earlier builds are deleted
 */
export async function bundleDashboard(folder: string): Promise<Metafile> {
  const optionsWith = (plugins: readonly Plugin[]) =>
    ({
      entryPoints: { app: FIRST, style: 'dashboard/style/all.css' },
      outdir: folder,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'browser',
      target: BROWSERS,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      minify: true,
      legalComments: 'none',
      charset: 'utf8',
      metafile: true,
      logLevel: 'warning',
      plugins: [
        ...plugins,
        formSchemas,
        {
          name: 'tokens',
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^tokens$/ }, () => ({ path: 'tokens', namespace: 'tokens' }))
            onLoad({ filter: /.*/, namespace: 'tokens' }, () => ({ contents: tokens, loader: 'css' }))
          },
        },
      ],
    }) satisfies BuildOptions
  const first = await build({ ...optionsWith([]), write: false })
  const { metafile } = await build(optionsWith([together(first.metafile)]))
  const all = Object.keys(metafile.outputs).map((path) => basename(path))
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder))
    if (name !== 'built.json' && !all.includes(name)) await rm(join(folder, name))
  const entry = (name: string) => all.find((each) => each.startsWith(`${name}-`))!
  const script = entry('app')
  const built = { script, beside: besideOf(metafile, script), style: entry('style'), all }
  // The rename is atomic, so that a concurrent reader never sees half a file.
  const fresh = join(folder, `built.${process.pid}`)
  await writeFile(fresh, JSON.stringify(built))
  await rename(fresh, join(folder, 'built.json'))
  return metafile
}

/**
 * Makes every lazily loaded page import all shared modules of the first page, which are loaded by then. esbuild then
 * puts them into one file instead of one file per combination of pages that share them.
 */
function together({ inputs, outputs }: Metafile): Plugin {
  const imports = Object.values(inputs).flatMap((input) => input.imports)
  const atNeed = new Set(
    imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => resolve(path)),
  )
  const needed = sharedIn({ inputs, outputs }).map((path) => `import ${JSON.stringify(resolve(path))}`)
  return {
    name: 'together',
    setup({ onLoad }) {
      onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        if (!atNeed.has(path)) return undefined
        return {
          contents: [await readFile(path, 'utf8'), ...needed].join('\n'),
          loader: path.endsWith('x') ? 'tsx' : 'ts',
        }
      })
    },
  }
}

/** Returns the shared modules that the first page loads. */
function sharedIn(metafile: Metafile): readonly string[] {
  const script = Object.keys(metafile.outputs)
    .map((path) => basename(path))
    .find((each) => each.startsWith('app-'))!
  const first = [script, ...besideOf(metafile, script)]
  const outputs = Object.entries(metafile.outputs).filter(([path]) => first.includes(basename(path)))
  return outputs
    .flatMap(([, { inputs }]) => Object.keys(inputs))
    .filter((path) => /^dashboard\/(core|parts)\//.test(path))
}

/** Returns the files that a script imports statically, directly or indirectly. */
function besideOf({ outputs }: Metafile, script: string): readonly string[] {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
  const found = new Set([script])
  for (const name of found)
    for (const { kind, path } of byName.get(name)!.imports)
      if (kind === 'import-statement') found.add(basename(path))
  return [...found].slice(1)
}
