import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Ticks } from '../../../lib/clock/ticks.ts'
import { systemSecrets } from '../../../lib/random/random.ts'
import { StoreUnavailable } from '../store.ts'

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
function fateOf(holder: Holder): 'alive' | 'dead' | 'unknown' {
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

/**
 * The files behind a lease. `path` names the holder. Who takes over from a holder creates `path.after-{token of that
 * holder}`, which only one can, and then moves it to `path`; so two never take over from the same one. A token never comes
 * back, and neither does such a name.
 */

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

const successorOf = (path: string, token: string) => `${path}.after-${token}`

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

/** Between two heartbeats, milliseconds. */
const BEAT = 1_000
/** How long a lease is sure after a heartbeat; less than half of when others may take it, so that clocks may differ. */
const SURE = 3_000
/** A holder without a heartbeat for so long, milliseconds on the clock of whoever watches, has lost its lease. */
export const LEASE = 8_000
/** How often a holder is looked at that cannot be asked. */
const LOOK = 250

/** The leases of this process. */
const held = new Set<string>()

export interface LeaseOptions {
  readonly ticks: Ticks
  /** Told what the start waits for. */
  readonly onWait: (why: string) => void
  /** Told once, when another has the lease. */
  readonly onLost: (error: StoreUnavailable) => void
}

/** The right to write. */
export interface Lease {
  /** It was taken from one that was silent and may wake up. */
  readonly followed: boolean
  /**
   * Makes sure that nobody else has the lease: at once when the last heartbeat says so, else when the promise resolves.
   * @throws StoreUnavailable when another has it, at once or in the promise
   */
  check(): Promise<void> | undefined
  /** Gives it back, if it is still there to give. */
  release(): Promise<void>
}

/**
 * Takes the lease whose file is `path`. A holder that is dead, or has shown no sign of life for the time of a lease, is
 * followed; where that cannot be told from process ids, it is waited for.
 * @throws Error when someone who is alive has it
 */
export async function takeLease(path: string, options: LeaseOptions): Promise<Lease> {
  const own = thisProcess(systemSecrets(), options.ticks.wall())
  for (;;) {
    if (await create(path, own)) return hold(path, own, false, options)
    const found = await find(path)
    if (!found) continue
    const over = await isOver(path, found, options)
    if (over && (await succeed(path, found, own))) return hold(path, own, over === 'silent', options)
  }
}

/** How a holder has ended; undefined when it has gone meanwhile. @throws Error when it is alive */
async function isOver(
  path: string,
  found: Found,
  { ticks, onWait }: LeaseOptions,
): Promise<'dead' | 'silent' | undefined> {
  const { holder } = found
  if (holder && held.has(holder.token)) throw inUse(holder)
  const fate = holder ? fateOf(holder) : 'unknown'
  if (fate === 'alive') throw inUse(holder)
  if (fate === 'dead') return 'dead'
  onWait(`${nameOf(holder)} may be using it: it is waited for, ${LEASE / 1000} s at most`)
  const from = ticks.monotonic()
  let changed = false
  while (ticks.monotonic() - from < LEASE) {
    await ticks.wait(LOOK)
    const now = await find(path)
    if (!now) return undefined
    if (now.beat === found.beat) continue
    // One that is being written has no holder to name yet.
    if (now.holder) throw inUse(now.holder)
    changed = true
  }
  if (changed) throw inUse(undefined)
  return 'silent'
}

const nameOf = (holder: Holder | undefined) =>
  holder ? `process ${holder.pid} on host ${holder.host}` : 'another process'

function inUse(holder: Holder | undefined): Error {
  const who = holder
    ? `process ${holder.pid} is using it, on host ${holder.host} since ${holder.since}`
    : 'another process is using it'
  return new Error(`${who}: stop that one, or name another file`)
}

function hold(path: string, own: Holder, followed: boolean, { ticks, onLost }: LeaseOptions): Lease {
  held.add(own.token)
  const now = () => ({ monotonic: ticks.monotonic(), wall: ticks.wall() })
  let sure = now()
  let lost: StoreUnavailable | undefined
  let released = false
  let beating: Promise<void> | undefined

  /** The heartbeat comes first: whoever follows looks for it once he has left his mark, and this looks for that. */
  const beat = async () => {
    const began = now()
    const date = new Date(began.wall)
    await utimes(path, date, date).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (await isHeld(path, own.token)) {
      sure = began
      return
    }
    if (released || lost) return
    lost = new StoreUnavailable(
      `Rows cannot be kept any more: ${path} is not this process's any more, so another may be using the file. ` +
        'Nothing further is accepted; start again when the other has stopped.',
      { final: true },
    )
    stop()
    onLost(lost)
  }
  const makeSure = async () => {
    // A heartbeat that began long ago makes nothing sure.
    while (!isSure()) await beatOnce()
    if (lost) throw lost
  }
  const beatOnce = () => (beating ??= beat().finally(() => (beating = undefined)))
  const stop = ticks.every(BEAT, () => void beatOnce().catch(() => {}))
  // The monotonic clock may stand still while the machine sleeps; the wall's does not.
  const isSure = () =>
    lost !== undefined ||
    (ticks.monotonic() - sure.monotonic < SURE && Math.abs(ticks.wall() - sure.wall) < SURE)

  return {
    followed,
    check() {
      if (lost) throw lost
      return isSure() ? undefined : makeSure()
    },
    async release() {
      released = true
      stop()
      await beating?.catch(() => {})
      held.delete(own.token)
      if (!lost) await giveBack(path, own, systemSecrets())
    },
  }
}
