import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { tokens } from '../src/ui/tokens.ts'

/** Browsers that know `light-dark()`, which came last of what is used. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

/**
 * Bundles the dashboard for browsers: a script with what the first page needs, chunks that are loaded at need, a style sheet. Names have
 * the hash of the content in them; `built.json` says which they are, and comes last.
 * @param folder what is there already and is not of this build is removed
 */
export async function bundleDashboard(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { app: 'dashboard/main.tsx', style: 'dashboard/style/all.css' },
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
      {
        name: 'tokens',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^tokens$/ }, () => ({ path: 'tokens', namespace: 'tokens' }))
          onLoad({ filter: /.*/, namespace: 'tokens' }, () => ({ contents: tokens, loader: 'css' }))
        },
      },
    ],
  })
  const all = Object.keys(metafile.outputs).map((path) => basename(path))
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder))
    if (name !== 'built.json' && !all.includes(name)) await rm(join(folder, name))
  const entry = (name: string) => all.find((each) => each.startsWith(`${name}-`))!
  const script = entry('app')
  const built = { script, beside: besideOf(metafile, script), style: entry('style'), all }
  // Whoever reads it meanwhile reads all of it.
  const fresh = join(folder, `built.${process.pid}`)
  await writeFile(fresh, JSON.stringify(built))
  await rename(fresh, join(folder, 'built.json'))
  return metafile
}

/** The files that a script imports before it runs, and those that they import: what it shares with chunks. */
function besideOf({ outputs }: Metafile, script: string): readonly string[] {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
  const found = new Set([script])
  for (const name of found)
    for (const { kind, path } of byName.get(name)!.imports)
      if (kind === 'import-statement') found.add(basename(path))
  return [...found].slice(1)
}
