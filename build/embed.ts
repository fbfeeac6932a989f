import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, transform, type BuildOptions, type Metafile, type Plugin } from 'esbuild'
import type { BuiltElement } from '../src/pages/embed/pages.ts'
import { tokens } from '../src/pages/tokens.ts'
import { BROWSERS } from './dashboard.ts'

/**
 * Bundles the custom element for pages of other sites: a script that runs with and without `type="module"`, and a
 * renderer that the script loads when an element becomes visible.
 * @param folder - Files from earlier builds are deleted
 */
export async function bundleEmbed(folder: string): Promise<Metafile> {
  const shown = await build({
    ...options,
    entryPoints: ['embed/show.tsx'],
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  })
  const text = shown.outputFiles[0]!.text
  const renderer = `show-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`
  const shell = await build({
    ...options,
    entryPoints: ['embed/shell.ts'],
    format: 'iife',
    define: { RENDERER: JSON.stringify(renderer) },
  })
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder))
    if (name !== renderer && name !== 'built.json') await rm(join(folder, name))
  await writeFile(join(folder, renderer), text)
  const built: BuiltElement = { shell: shell.outputFiles[0]!.text, renderer }
  // The rename is atomic, so that a concurrent reader never sees half a file.
  const fresh = join(folder, `built.${process.pid}`)
  await writeFile(fresh, JSON.stringify(built))
  await rename(fresh, join(folder, 'built.json'))
  return {
    inputs: { ...shown.metafile.inputs, ...shell.metafile.inputs },
    outputs: { [join(folder, renderer)]: Object.values(shown.metafile.outputs)[0]! },
  }
}

/** Loads a style sheet as minified text, preceded by the palette values that it uses. */
const styles: Plugin = {
  name: 'styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const own = await readFile(path, 'utf8')
      const { code } = await transform(paletteFor(own) + own, {
        loader: 'css',
        minify: true,
        target: BROWSERS,
      })
      return { contents: code, loader: 'text' }
    })
  },
}

/** The embedding page may override each value: `--accent` with `--payments-sandbox-accent`. */
function paletteFor(style: string): string {
  const used = [...tokens.matchAll(/^ {2}--([\w-]+): (.*);$/gm)].filter(([, name]) =>
    style.includes(`var(--${name})`),
  )
  return used.length === 0
    ? ''
    : `.box {${used.map(([, name, value]) => `--${name}: var(--payments-sandbox-${name}, ${value});`).join('\n')}}\n`
}

const options = {
  outdir: 'dist/embed',
  bundle: true,
  platform: 'browser',
  target: BROWSERS,
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  write: false,
  logLevel: 'warning',
  plugins: [styles],
} as const satisfies BuildOptions
