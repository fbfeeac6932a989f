import { next } from '../domain/counters.ts'
import type { World } from '../worlds/world.ts'
import type { Send } from './send.ts'

/** Sends a callback that is owed, records the attempt and takes the job out. Never throws for the receiver. */
export type Deliver = (world: World, job_id: number, callback_id: number) => Promise<void>

export const createDelivery =
  (send: Send): Deliver =>
  async (world, job_id, callback_id) => {
    const callback = await world.read(({ rows }) => rows.get('callbacks', callback_id))
    const started = world.clock.wall()
    const outcome = callback && (await send({ url: callback.url, body: callback.body, headers: {} }))
    // Cut off by our own end: the job stays, so that it is sent after the restart.
    if (callback && !outcome) return
    await world.change(async (tx) => {
      await tx.rows.delete('jobs', job_id)
      if (!callback || !outcome) return
      const delivered = outcome.status !== null && outcome.status >= 200 && outcome.status < 300
      await tx.rows.put('callbacks', { ...callback, state: delivered ? 'delivered' : 'failed' })
      await tx.rows.insert('attempts', {
        id: await next(tx, 'attempt'),
        callback_id,
        at: tx.now,
        duration_ms: world.clock.wall() - started,
        status: outcome.status,
        error: outcome.error,
      })
    })
  }
