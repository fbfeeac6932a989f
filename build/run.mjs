/**
 * Runs the program from a clone, as `npm start` does. Builds the bundle if its sources have changed: starting from the
 * sources takes ten times as long.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamps = join(root, 'node_modules/.cache/payments-sandbox')

/** Returns the sources of the bundle, each with its modification time and size. */
function sources() {
  const stamp = (file) => {
    const { mtimeMs, size } = statSync(join(root, file))
    return `${file} ${mtimeMs} ${size}`
  }
  const below = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? below(path) : stamp(path)
    })
  const folders = ['build', 'dashboard', 'embed', 'src']
  return [stamp('package-lock.json'), ...folders.flatMap(below)].join('\n')
}

function isFresh(now) {
  const made = join(stamps, 'bundled')
  return existsSync(join(root, 'dist/cli.js')) && existsSync(made) && readFileSync(made, 'utf8') === now
}

const lock = join(stamps, 'bundling')
/** Milliseconds after which a lock of another build is ignored. */
const GIVEN_UP = 60_000

/** Waits until another process has finished its build, because two builds would write the same files. */
function lockBundle() {
  mkdirSync(stamps, { recursive: true })
  for (;;) {
    try {
      return mkdirSync(lock)
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0
      if (since > 0 && Date.now() - since > GIVEN_UP) rmSync(lock, { recursive: true, force: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
}

function bundle() {
  const now = sources()
  if (isFresh(now)) return
  lockBundle()
  try {
    if (isFresh(now)) return
    const program = "import('./build/bundle.ts').then(({ bundle }) => bundle())"
    execFileSync(process.execPath, ['--import', 'tsx', '--eval', program], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    writeFileSync(join(stamps, 'bundled'), now)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

const { ppid } = process
bundle()
// npm signals the shell that runs this script, and the shell does not forward signals.
if (process.env.npm_lifecycle_event !== undefined)
  setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGTERM'), 200).unref()
await import('../bin/payments-sandbox.cjs')
