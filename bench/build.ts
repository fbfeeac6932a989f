import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { here, root } from './settings.ts'

const windows = process.platform === 'win32'

/** The peers and the load tool; installed once, their install scripts left out. */
export function installPeers(): void {
  // npm writes down there what it has installed: an older lock's peers are not those of this one.
  const installed = join(here, 'node_modules/.package-lock.json')
  const wanted = join(here, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return
  console.log('Installing the load tool and the peers into bench/node_modules …')
  execFileSync(windows ? 'npm.cmd' : 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: here,
    stdio: 'inherit',
    shell: windows,
  })
}

const inside = ['server', 'first-answer', 'decide', 'callbacks', 'member'] as const
/** The longest that a script may take, milliseconds. */
const PATIENCE = 300_000

/** Where a script that runs within the sandbox is, once built. */
export const insideScript = (name: (typeof inside)[number]) => join(root, `dist/bench-${name}.js`)

/** Runs a script to its one message. @throws Error when it ends without one or takes too long */
export async function askInside(name: (typeof inside)[number], ...args: string[]): Promise<unknown> {
  const child = spawn(process.execPath, ['--expose-gc', insideScript(name), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    timeout: PATIENCE,
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`bench/inside/${name}.ts ended without an answer`)
  })
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [unknown]
  await ended.catch(() => {})
  return answer
}

/** Builds the package, and the scripts within it as the package is built: they lie beside it, where it finds its files. */
export async function buildAll(): Promise<void> {
  execFileSync(process.execPath, ['--import', 'tsx', 'build/build.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await build({
    entryPoints: Object.fromEntries(inside.map((name) => [`bench-${name}`, join(here, `inside/${name}.ts`)])),
    outdir: join(root, 'dist'),
    bundle: true,
    format: 'esm',
    external: ['pg-native'],
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
