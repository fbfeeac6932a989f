import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Ticks } from '../../../lib/clock/clock.ts'
import { systemSecrets } from '../../../lib/random/random.ts'
import { StoreUnavailable } from '../change.ts'

/** The process that holds the lock, as written to the lock file. */
export interface Holder {
  /** Random, new for each lock. */
  readonly token: string
  readonly pid: number
  readonly host: string
  /** Distinguishes processes with the same id; empty if unknown. */
  readonly started: string
  readonly boot: string
  readonly pids: string
  readonly since: string
}

export const thisProcess = (token: string, since: number): Holder => ({
  token,
  pid: process.pid,
  host: hostname(),
  ...here(),
  since: new Date(since).toISOString(),
})

/** Returns whether a process is alive, which can only be known for processes of this machine and process id namespace. */
function fateOf(holder: Holder): 'alive' | 'dead' | 'unknown' {
  const { started, boot, pids } = here()
  const seen = process.platform === 'linux' ? boot !== '' && pids !== '' : holder.host === hostname()
  if (!seen || holder.boot !== boot || holder.pids !== pids) return 'unknown'
  if (holder.pid === process.pid) return holder.started === started ? 'unknown' : 'dead'
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'dead'
  }
  // /proc may belong to another namespace.
  if (holder.started === '' || textOf(() => readlinkSync('/proc/self')) !== String(process.pid))
    return 'unknown'
  const stat = statOf(String(holder.pid))
  if (!stat) return 'unknown'
  return !stat.isOver && stat.started === holder.started ? 'alive' : 'dead'
}

const here = () => ({
  started: statOf('self')?.started ?? '',
  boot: textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  pids: textOf(() => readlinkSync('/proc/self/ns/pid')),
})

/** Returns when a process started and whether it is a zombie, or undefined if /proc cannot be read. */
function statOf(pid: string) {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (stat === '') return undefined
  // The process name, in parentheses, may contain spaces. After it, the state is the first field and the start the 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { started: fields[19] ?? '', isOver: fields[0] === 'Z' || fields[0] === 'X' }
}

function textOf(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

/**
 * `path` contains the holder. A process that takes over creates `path.after-{token of the holder}`, which only one can do,
 * and then moves it to `path`. Tokens are never reused, so two processes never take over from the same holder.
 */

/** The last entry in the chain of lock files: the current holder, dead or alive. */
interface LockState {
  readonly token: string
  /** Undefined if the file is malformed, for example because of a power cut. */
  readonly holder: Holder | undefined
  /** Changes with each heartbeat. */
  readonly beat: string
}

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

export const find = async (path: string): Promise<LockState | undefined> => (await chainOf(path)).at(-1)

/** Returns the holder and the processes that are taking over, in order. */
async function chainOf(path: string): Promise<LockState[]> {
  const chain: LockState[] = []
  for (let state = await look(path); state; state = await look(successorOf(path, state.token)))
    chain.push(state)
  return chain
}

async function look(file: string): Promise<LockState | undefined> {
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

/** Returns whether the token holds the lock and no process has taken over. */
export async function isHeld(path: string, token: string): Promise<boolean> {
  const first = await look(path)
  return first?.token === token && (await find(path))?.token === token
}

/**
 * Takes over from a holder that is dead or silent. Returns false if another process was faster, or if the holder has sent
 * a heartbeat after all.
 */
export async function succeed(path: string, before: LockState, own: Holder): Promise<boolean> {
  const claim = successorOf(path, before.token)
  if (!(await create(claim, own))) return false
  // From here on, the previous holder's next heartbeat detects the claim; an earlier heartbeat changed its beat.
  const chain = await chainOf(path)
  const last = chain[chain.findIndex(({ token }) => token === own.token) - 1]
  if (last?.beat !== before.beat) {
    await rm(claim, { force: true })
    return false
  }
  await rename(claim, path).catch(() => {})
  await removeOthers(path, own.token)
  return isHeld(path, own.token)
}

async function removeOthers(path: string, token: string): Promise<void> {
  const prefix = basename(successorOf(path, ''))
  for (const name of await readdir(dirname(path)))
    if (name.startsWith(prefix) && name !== prefix + token)
      await rm(join(dirname(path), name), { force: true })
}

/** Releases the lock unless another process has taken over; by a claim, so that only the own file is removed. */
export async function release(path: string, own: Holder, token: string): Promise<void> {
  const claim = successorOf(path, own.token)
  if (!(await create(claim, { ...own, token }))) return
  if ((await look(path))?.token === own.token) await rm(path, { force: true })
  await rm(claim, { force: true })
}

const BEAT = 1_000
/** How long after a heartbeat the lock is certain; less than half of `SILENCE`, so that clocks may differ. */
const CERTAIN = 3_000
/** A holder without a heartbeat for this long has lost its lock, milliseconds. */
const SILENCE = 8_000
/** How often the lock file of an unreachable holder is read, milliseconds. */
const POLL = 250

const held = new Set<string>()

interface LockOptions {
  readonly ticks: Ticks
  /** Called with the reason when the start has to wait. */
  readonly onWait: (why: string) => void
  readonly onLost: (error: StoreUnavailable) => void
}

/** The exclusive right to write to a file. */
export interface FileLock {
  /** Whether the previous holder was silent and may wake up. */
  readonly isTakeover: boolean
  /**
   * Checks that no other process has taken over: synchronously after a recent heartbeat, otherwise asynchronously.
   * @throws {StoreUnavailable} If another process has taken over.
   */
  check(): Promise<void> | undefined
  release(): Promise<void>
}

/**
 * Takes the lock in `path`. Takes over from a holder that is dead or silent for 8 seconds, waiting if necessary.
 * @throws {Error} If a running process holds the lock.
 */
export async function takeFileLock(path: string, options: LockOptions): Promise<FileLock> {
  const own = thisProcess(systemSecrets(), options.ticks.wall())
  for (;;) {
    if (await create(path, own)) return hold(path, own, false, options)
    const state = await find(path)
    if (!state) continue
    const fate = await fateAfterWait(path, state, options)
    if (fate && (await succeed(path, state, own))) return hold(path, own, fate === 'silent', options)
  }
}

/** Returns undefined if the holder released the lock. @throws {Error} If it is alive. */
async function fateAfterWait(
  path: string,
  found: LockState,
  { ticks, onWait }: LockOptions,
): Promise<'dead' | 'silent' | undefined> {
  const { holder } = found
  if (holder && held.has(holder.token)) throw inUse(holder)
  const fate = holder ? fateOf(holder) : 'unknown'
  if (fate === 'alive') throw inUse(holder)
  if (fate === 'dead') return 'dead'
  const who = holder ? `process ${holder.pid} on host ${holder.host}` : 'another process'
  onWait(`${who} may be using it: waiting up to ${SILENCE / 1000} s`)
  const from = ticks.monotonic()
  let changed = false
  while (ticks.monotonic() - from < SILENCE) {
    await ticks.wait(POLL)
    const now = await find(path)
    if (!now) return undefined
    if (now.beat === found.beat) continue
    // A file that is being written is malformed for a moment.
    if (now.holder) throw inUse(now.holder)
    changed = true
  }
  if (changed) throw inUse(undefined)
  return 'silent'
}

function inUse(holder: Holder | undefined): Error {
  const who = holder
    ? `process ${holder.pid} is using it on host ${holder.host} since ${holder.since}`
    : 'another process is using it'
  return new Error(`${who}: stop that process or choose another file`)
}

function hold(path: string, own: Holder, isTakeover: boolean, { ticks, onLost }: LockOptions): FileLock {
  held.add(own.token)
  const now = () => ({ monotonic: ticks.monotonic(), wall: ticks.wall() })
  let certain = now()
  let lost: StoreUnavailable | undefined
  let released = false
  let beating: Promise<void> | undefined

  /** Writes the heartbeat before looking for a claim; a process that takes over writes its claim before looking for a beat. */
  const beat = async () => {
    const began = now()
    const date = new Date(began.wall)
    await utimes(path, date, date).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (await isHeld(path, own.token)) {
      certain = began
      return
    }
    if (released || lost) return
    lost = new StoreUnavailable(
      `Rows can no longer be stored: this process has lost ${path}, so another process may be using the file. ` +
        'All requests are rejected; restart the sandbox when the other process has stopped.',
      { final: true },
    )
    stop()
    onLost(lost)
  }
  const makeCertain = async () => {
    // A heartbeat that began long ago proves nothing.
    while (!isCertain()) await beatOnce()
    if (lost) throw lost
  }
  const beatOnce = () => (beating ??= beat().finally(() => (beating = undefined)))
  const stop = ticks.every(BEAT, () => void beatOnce().catch(() => {}))
  // The monotonic clock may stop while the machine sleeps; real time does not.
  const isCertain = () =>
    lost !== undefined ||
    (ticks.monotonic() - certain.monotonic < CERTAIN && Math.abs(ticks.wall() - certain.wall) < CERTAIN)

  return {
    isTakeover,
    check() {
      if (lost) throw lost
      return isCertain() ? undefined : makeCertain()
    },
    async release() {
      released = true
      stop()
      await beating?.catch(() => {})
      held.delete(own.token)
      if (!lost) await release(path, own, systemSecrets())
    },
  }
}
