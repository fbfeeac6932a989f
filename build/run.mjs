/**
 * Runs the program from a clone, as `npm start` does: the bundle, made anew when its sources have changed. To read the sources
 * themselves takes ten times as long, at every start.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamps = join(root, 'node_modules/.cache/payments-sandbox')

/** What the bundle is made of, each file by its time and size. */
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
/** After which nobody makes a bundle any more, whoever said that he does, milliseconds. */
const GIVEN_UP = 60_000

/** Waits while somebody else makes the bundle: two who start at once would write the same files. */
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
// npm ends the shell that it runs this in, and a shell passes no signal on.
if (process.env.npm_lifecycle_event !== undefined)
  setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGTERM'), 200).unref()
await import('../bin/payments-sandbox.cjs')
