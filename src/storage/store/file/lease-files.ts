/**
 * The files behind a lease. `path` names the holder. Who takes over from a holder creates `path.after-{token of that
 * holder}`, which only one can, and then moves it to `path`; so two never take over from the same one. A token never comes
 * back, and neither does such a name.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Holder } from './holder.ts'

/** What is at the end of the chain: the one who holds the lease, or would if it were alive. */
export interface Found {
  readonly token: string
  /** Undefined when the file has no holder's form, as one that was being written during a power cut. */
  readonly holder: Holder | undefined
  /** Another at each of the holder's heartbeats. */
  readonly beat: string
}

/** Creates the file. Returns whether there was none. */
export async function create(path: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(path, `${JSON.stringify(holder)}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

export const successorOf = (path: string, token: string) => `${path}.after-${token}`

/** Whoever holds the lease by the files; undefined when nobody does. */
export async function find(path: string): Promise<Found | undefined> {
  let last: Found | undefined
  for (let file = path; ; file = successorOf(path, last.token)) {
    const found = await look(file)
    if (!found) return last
    last = found
  }
}

async function look(file: string): Promise<Found | undefined> {
  try {
    const { mtimeMs } = await stat(file)
    const text = await readFile(file, 'utf8')
    const holder = holderIn(text)
    const token = holder?.token ?? createHash('sha256').update(text).digest('hex').slice(0, 24)
    return { token, holder, beat: `${token} ${mtimeMs}` }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function holderIn(text: string): Holder | undefined {
  try {
    const read = JSON.parse(text) as Partial<Holder> | null
    return typeof read?.token === 'string' && /^[\w-]+$/.test(read.token) ? (read as Holder) : undefined
  } catch {
    return undefined
  }
}

/** Whether the lease is this one's, with no one after it. */
export async function isHeld(path: string, token: string): Promise<boolean> {
  const first = await look(path)
  return first?.token === token && (await find(path))?.token === token
}

/**
 * Takes the place of a holder that is dead or has let its lease run out. Returns false when another was quicker, or when
 * the holder shows signs of life after all.
 */
export async function succeed(path: string, before: Found, own: Holder): Promise<boolean> {
  const claim = successorOf(path, before.token)
  if (!(await create(claim, own))) return false
  // From here on the one before sees at its next heartbeat that it is followed; had it been before, its beat is another.
  const last = await findBefore(path, own.token)
  if (last?.beat !== before.beat) {
    await rm(claim, { force: true })
    return false
  }
  await rename(claim, path).catch(() => {})
  await removeOthers(path, own.token)
  return isHeld(path, own.token)
}

/** Whom the chain names in front of the one with this token; undefined when it is not in the chain. */
async function findBefore(path: string, token: string): Promise<Found | undefined> {
  let before: Found | undefined
  for (let file = path; ; file = successorOf(path, before.token)) {
    const found = await look(file)
    if (!found) return undefined
    if (found.token === token) return before
    before = found
  }
}

/** What others left who gave up, or died, on the way to the lease; nobody can take over by it any more. */
async function removeOthers(path: string, token: string): Promise<void> {
  const prefix = basename(successorOf(path, ''))
  for (const name of await readdir(dirname(path)))
    if (name.startsWith(prefix) && name !== prefix + token)
      await rm(join(dirname(path), name), { force: true })
}

/** Gives the lease back unless another has it by now; by the way of taking over, so that nobody else's is removed. */
export async function giveBack(path: string, own: Holder, token: string): Promise<void> {
  const claim = successorOf(path, own.token)
  if (!(await create(claim, { ...own, token }))) return
  if ((await look(path))?.token === own.token) await rm(path, { force: true })
  await rm(claim, { force: true })
}
