/** Folders of what was downloaded or compiled, kept by what it was made of. */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const home = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
const cache = join(home, 'payments-sandbox', 'receivers')
const MONTH = 30 * 86_400_000

/**
 * The folder that was made of these files, now or before.
 * @param from where the files are
 * @param make is given a folder with copies of them
 */
export function cached(
  name: string,
  from: string,
  files: readonly string[],
  make: (folder: string) => void,
): string {
  const hash = createHash('sha256').update(process.version)
  for (const file of files) hash.update(readFileSync(join(from, file)))
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(folder)) return folder
  forgetOld(name)
  const making = `${folder}.${process.pid}`
  try {
    mkdirSync(making, { recursive: true })
    for (const file of files) cpSync(join(from, file), join(making, file))
    make(making)
    // Another run may have been quicker.
    if (!existsSync(folder)) renameSync(making, folder)
    return folder
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

function forgetOld(name: string): void {
  if (!existsSync(cache)) return
  for (const each of readdirSync(cache)) {
    const folder = join(cache, each)
    const old = statSync(folder).mtimeMs < Date.now() - MONTH
    if (each.startsWith(`${name}-`) && old) rmSync(folder, { recursive: true, force: true })
  }
}
