import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Who holds a lease, as its file says it. */
export interface Holder {
  /** Random; another at every taking. */
  readonly token: string
  readonly pid: number
  readonly host: string
  /** Tells a process from a later one with the same id; empty where the system does not say. */
  readonly started: string
  /** The start of the machine, and the name space in which `pid` means something; empty where not said. */
  readonly boot: string
  readonly pids: string
  /** When it took the lease; for people. */
  readonly since: string
}

export function thisProcess(token: string, since: number): Holder {
  return {
    token,
    pid: process.pid,
    host: hostname(),
    ...here(),
    since: new Date(since).toISOString(),
  }
}

/**
 * Whether a process lives. Only one of this machine and of this name space of process ids can be looked for: process 1 of
 * another container is not ours. The number of a name space may be given out again, but only once all its processes are over.
 */
export function fateOf(holder: Holder): 'alive' | 'dead' | 'unknown' {
  const { started, boot, pids } = here()
  const seen = process.platform === 'linux' ? boot !== '' && pids !== '' : holder.host === hostname()
  if (!seen || holder.boot !== boot || holder.pids !== pids) return 'unknown'
  if (holder.pid === process.pid) return holder.started === started ? 'unknown' : 'dead'
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    // EPERM: it lives, and belongs to someone else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'dead'
  }
  // Where /proc is that of another name space, its numbers are too.
  if (holder.started === '' || textOf(() => readlinkSync('/proc/self')) !== String(process.pid))
    return 'unknown'
  const stat = statOf(String(holder.pid))
  if (!stat) return 'unknown'
  return !stat.over && stat.started === holder.started ? 'alive' : 'dead'
}

const here = () => ({
  started: statOf('self')?.started ?? '',
  boot: textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  pids: textOf(() => readlinkSync('/proc/self/ns/pid')),
})

/** When a process started, and whether it is over and nobody has asked how it ended; undefined where it cannot be read. */
function statOf(pid: string): { readonly started: string; readonly over: boolean } | undefined {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (stat === '') return undefined
  // The name, in parentheses, may have spaces; after it the state is the first field and the start the 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { started: fields[19] ?? '', over: fields[0] === 'Z' || fields[0] === 'X' }
}

function textOf(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}
