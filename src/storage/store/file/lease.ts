import { utimes } from 'node:fs/promises'
import type { Ticks } from '../../../lib/clock/ticks.ts'
import { systemSecrets } from '../../../lib/random/random.ts'
import { StoreUnavailable } from '../unavailable.ts'
import { fateOf, thisProcess, type Holder } from './holder.ts'
import { create, find, giveBack, isHeld, succeed, type Found } from './lease-files.ts'

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
