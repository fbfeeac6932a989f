/** The viewer's file is held to its hash each time, though it is there already. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { files } from '../../src/files.ts'
import { temporaryFolder } from '../support/folder.ts'

/** A copy of viewer/ beside an npm that reaches no registry. */
function copied() {
  const folder = temporaryFolder()
  cpSync('viewer', join(folder, 'viewer'), { recursive: true })
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho asked >&2\nexit 1\n')
  chmodSync(join(bin, 'npm'), 0o755)
  const install = (event: string) =>
    spawnSync(process.execPath, [join(folder, 'viewer/install.mjs')], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${bin}:/usr/bin:/bin`, npm_lifecycle_event: event },
    })
  return { file: join(folder, 'viewer/assets/scalar.js'), install }
}

const installed = existsSync(files.viewer)

it.runIf(installed)('is left alone when it is what it should be', () => {
  const { file, install } = copied()
  const before = readFileSync(file, 'utf8')
  expect(install('build')).toMatchObject({ status: 0, stderr: '' })
  expect(readFileSync(file, 'utf8') === before).toBe(true)
})

it.runIf(installed)('is not kept when it was changed, and a build does not go on without it', () => {
  const { file, install } = copied()
  writeFileSync(file, '\nalert(1)', { flag: 'a' })
  expect(install('build').status).toBe(1)
  expect(existsSync(file)).toBe(false)
})
