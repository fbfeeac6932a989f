/**
 * Run by `npm ci` (dependencies), or by `npm run viewer`: puts the one file of the documentation viewer that the sandbox serves into viewer/assets, once.
 * It comes out of the npm package at a pinned version and hash, by the npm client and whatever registry that is set
 * to. The package is not a dependency, because it would bring 287 MB of others for this file (docs/decisions/0007).
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { name, version, integrity, file, fileIntegrity } = JSON.parse(
  readFileSync(new URL('./pinned.json', import.meta.url), 'utf8'),
)
const notice = `scalar.js is ${file} of the npm package ${name} ${version}, unchanged.

MIT License

Copyright (c) 2023-present Scalar

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

const assets = fileURLToPath(new URL('./assets/', import.meta.url))
const installed = join(assets, 'NOTICE.txt')
const script = join(assets, 'scalar.js')

if (!isThere()) {
  // Nothing that is not what it should be is served meanwhile.
  if (existsSync(script) && hashOf(script) !== fileIntegrity) rmSync(script)
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'))
  try {
    install(folder)
  } catch (error) {
    // After `npm ci` the sandbox runs without its documentation; a package without it must not be built.
    if (process.env.npm_lifecycle_event !== 'dependencies') throw error
    console.warn(`/docs has no viewer yet; npm run viewer fetches it (${error.message.split('\n')[0]})`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What lies there is looked at each time: a file that was changed since is fetched anew. */
function isThere() {
  if (!existsSync(installed) || !existsSync(script)) return false
  return readFileSync(installed, 'utf8') === notice && hashOf(script) === fileIntegrity
}

function hashOf(path) {
  return `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`
}

function requireHash(path, wanted, what) {
  const found = hashOf(path)
  if (found !== wanted) throw new Error(`${what} has the hash ${found}, not ${wanted}`)
}

function install(folder) {
  const options = { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' }
  // Said outright, because `npm pack` of this package, which builds it first, hands its own settings down.
  const pack = ['pack', '--json', '--pack-destination=.', '--dry-run=false', `${name}@${version}`]
  const [packed] = JSON.parse(execFileSync('npm', pack, options))
  requireHash(join(folder, packed.filename), integrity, `${name}@${version}`)
  execFileSync('tar', ['-xzf', packed.filename, `package/${file}`], { cwd: folder })
  const unpacked = join(folder, 'package', file)
  requireHash(unpacked, fileIntegrity, `${file} of ${name}@${version}`)
  mkdirSync(assets, { recursive: true })
  copyFileSync(unpacked, script)
  // Last, since it says that the rest is there.
  writeFileSync(installed, notice)
}
