import { openEvents } from './events.ts'
import type { Transport } from './transport.ts'
import type { Listening, WorldEvent } from './types.ts'

/** Who is told what happens in a world until it ends. */
export interface Listeners {
  /** @throws SandboxError when the stream is refused */
  listen(tell: (event: WorldEvent) => unknown): Promise<Listening>
  /** Nobody is told anything from now on. */
  end(): Promise<void>
}

export function createListeners(transport: Transport): Listeners {
  const all = new Set<Listening>()
  return {
    async listen(tell) {
      const stopped = new AbortController()
      const events = await openEvents(transport, { signal: stopped.signal })
      const ended = (async () => {
        for await (const event of events) if (!stopped.signal.aborted) await tell(event)
      })().finally(() => all.delete(listening))
      const stop = async () => {
        stopped.abort()
        await ended
      }
      const listening: Listening = { ended, stop, [Symbol.asyncDispose]: stop }
      all.add(listening)
      return listening
    },
    async end() {
      await Promise.all([...all].map((each) => each.stop()))
    },
  }
}
