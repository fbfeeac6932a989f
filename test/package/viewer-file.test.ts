/** The viewer's file is held to its hash each time, though it is there already. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { files } from '../../src/lib/files.ts'
import { temporaryFolder } from '../support/folder.ts'

/** A copy of viewer/ beside an npm that reaches no registry. */
function copied() {
  const folder = temporaryFolder()
  cpSync('viewer', join(folder, 'viewer'), { recursive: true })
  mkdirSync(join(folder, 'viewer/assets'), { recursive: true })
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

it.runIf(installed)('is kept if its checksum matches', () => {
  const { file, install } = copied()
  const before = readFileSync(file, 'utf8')
  expect(install('build')).toMatchObject({ status: 0, stderr: '' })
  expect(readFileSync(file, 'utf8') === before).toBe(true)
})

it.runIf(installed)('is deleted and stops the build if it was changed', () => {
  const { file, install } = copied()
  writeFileSync(file, '\nalert(1)', { flag: 'a' })
  expect(install('build').status).toBe(1)
  expect(existsSync(file)).toBe(false)
})

it('is installed by npm ci, without an install script for users of the package', () => {
  const { file, install } = copied()
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  // npm warns of a script that it would run where the package is installed from a file; this one it runs in a clone alone.
  expect(scripts).toMatchObject({ dependencies: 'node viewer/install.mjs' })
  for (const event of [
    'preinstall',
    'install',
    'postinstall',
    'prepublish',
    'preprepare',
    'prepare',
    'postprepare',
  ])
    expect(scripts).not.toHaveProperty(event)
  writeFileSync(file, 'alert(1)')
  expect(install('dependencies')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('npm run viewer'),
  })
})
