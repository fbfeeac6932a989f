import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { here, root } from './settings.ts'

const windows = process.platform === 'win32'

/** The peers and the load generator; installed once, without install scripts. */
export function installPeers(): void {
  // npm records there which packages it installed; an older lock file may have pinned other peers.
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
/** Time limit of a script, in milliseconds. */
const PATIENCE = 300_000

/** Returns the path of a built script that runs in the sandbox's process. */
export const insideScript = (name: (typeof inside)[number]) => join(root, `dist/bench-${name}.js`)

/** Runs a script and resolves to its message. @throws {Error} If it exits without a message or exceeds the time limit. */
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

/** Builds the package, and the scripts of `inside` next to it, where they find its files. */
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
    sourcemap: 'linked',
    banner: {
      js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);",
    },
    logLevel: 'warning',
  })
}
