import { later, type Wall } from '../lib/clock/clock.ts'
import type { World } from '../worlds/world.ts'
import type { Leases } from './leases.ts'
import type { Takeover } from './takeover.ts'

interface DueWorldPollerOptions {
  readonly leases: Leases
  readonly takeover: Takeover
  readonly wall: Wall
  readonly open: (name: string) => Promise<World | undefined>
  readonly onError: (error: unknown) => void
}

/** How long to wait after the database could not be asked, milliseconds. */
const AFTER_FAILURE = 1_000

/** Looks for worlds that have a job due and that no process has open, opens them and has their jobs done. Returns how to stop. */
export function startDueWorldPoller({
  leases,
  takeover,
  wall,
  open,
  onError,
}: DueWorldPollerOptions): () => void {
  let closed = false
  let cancel = () => {}
  const takeUp = async (name: string) => {
    if (await open(name)) await takeover.claimed(name)
    else await leases.release(name)
  }
  const look = async () => {
    const { claimed, next } = await leases.claimDue()
    // The lease on a world that cannot be opened runs out by itself.
    await Promise.all(claimed.map(({ world }) => takeUp(world).catch(onError)))
    return next - wall()
  }
  const lookIn = (ms: number) => {
    if (closed || ms === Infinity) return
    cancel = later(Math.max(ms, 0), () => {
      look()
        .catch((error: unknown) => {
          onError(error)
          return AFTER_FAILURE
        })
        .then(lookIn, onError)
    })
  }
  lookIn(0)
  return () => {
    closed = true
    cancel()
  }
}
