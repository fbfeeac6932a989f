/**
 * Run by `npm ci` (prepare), or by `npm run viewer`: puts the one file of the documentation viewer that the sandbox serves into viewer/assets, once.
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

const name = '@scalar/api-reference'
const version = '1.72.1'
const integrity =
  'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=='
const notice = `scalar.js is dist/browser/standalone.js of the npm package ${name} ${version}, unchanged.

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

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== notice) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'))
  try {
    install(folder)
  } catch (error) {
    // After `npm ci` the sandbox runs without its documentation; a package without it must not be built.
    if (process.env.npm_lifecycle_event !== 'prepare') throw error
    console.warn(`/docs has no viewer yet; npm run viewer fetches it (${error.message.split('\n')[0]})`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function install(folder) {
  const options = { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' }
  // Said outright, because `npm pack` of this package, which builds it first, hands its own settings down.
  const pack = ['pack', '--json', '--pack-destination=.', '--dry-run=false', `${name}@${version}`]
  const [packed] = JSON.parse(execFileSync('npm', pack, options))
  const bytes = readFileSync(join(folder, packed.filename))
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (found !== integrity) throw new Error(`${name}@${version} has the hash ${found}, not ${integrity}`)
  execFileSync('tar', ['-xzf', packed.filename, 'package/dist/browser/standalone.js'], { cwd: folder })
  mkdirSync(assets, { recursive: true })
  copyFileSync(join(folder, 'package/dist/browser/standalone.js'), join(assets, 'scalar.js'))
  // Last, since it says that the rest is there.
  writeFileSync(installed, notice)
}
