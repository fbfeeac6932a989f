import { readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'

/** The locks this process holds: after a restart a container's process often has its predecessor's id. */
const held = new Set<string>()

interface Owner {
  readonly pid: number
  /** Tells a process from a later one with the same id; empty where the system does not say. */
  readonly started: string
}

/**
 * Makes the lock file, or throws when a process that is alive has it. A dead process's lock is taken over.
 * Returns how to give it back.
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const own = JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Owner)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      await writeFile(path, own, { flag: 'wx' })
      held.add(path)
      return () => unlock(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = await ownerOf(path)
    if (owner && isAlive(owner, path)) {
      throw new Error(`process ${owner.pid} is using it: stop that one, or name another file`)
    }
    await rm(path, { force: true })
  }
  throw new Error(`${path} is taken again and again by others`)
}

async function unlock(path: string): Promise<void> {
  held.delete(path)
  await rm(path, { force: true })
}

async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner
  } catch {
    return undefined
  }
}

function isAlive({ pid, started }: Owner, path: string): boolean {
  if (pid === process.pid) return held.has(path)
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it lives, and belongs to someone else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return started === startOf(pid)
}

/** When the process started, as Linux tells it; empty too where it is over and nobody has asked how it ended. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may have spaces; after it the state is the first field and the start the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? '' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
