import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { here, root } from './settings.ts'

const windows = process.platform === 'win32'

/** The peers and the load tool; installed once, their install scripts left out. */
export function installPeers(): void {
  if (existsSync(join(here, 'node_modules/autocannon'))) return
  console.log('Installing the load tool and the peers into bench/node_modules …')
  execFileSync(windows ? 'npm.cmd' : 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: here,
    stdio: 'inherit',
    shell: windows,
  })
}

const inside = ['server', 'first-answer'] as const

/** Where a script that runs within the sandbox is, once built. */
export const insideScript = (name: (typeof inside)[number]) => join(root, `dist/bench-${name}.js`)

/** Builds the package, and the scripts within it as the package is built: they lie beside it, where it finds its files. */
export async function buildAll(): Promise<void> {
  execFileSync(process.execPath, ['--import', 'tsx', 'build/build.ts'], { cwd: root, stdio: 'ignore' })
  await build({
    entryPoints: Object.fromEntries(inside.map((name) => [`bench-${name}`, join(here, `inside/${name}.ts`)])),
    outdir: join(root, 'dist'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    banner: {
      js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);",
    },
    logLevel: 'warning',
  })
}
