import { SandboxError, type Transport } from './transport.ts'
import type { WorldEvent } from './types.ts'

/** Reads a world's stream of events until the signal, or the sandbox, ends it. @throws SandboxError when refused */
export async function* readEvents(
  transport: Transport,
  { signal, after }: { signal?: AbortSignal; after?: string },
): AsyncGenerator<WorldEvent> {
  const path = `/sandbox/events${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`
  const answer = await transport.fetch(path, signal ? { signal } : {})
  if (!answer.ok || !answer.body) throw new SandboxError(`GET ${path}`, answer.status, await answer.json())
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  const stop = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', stop)
  let text = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += value
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined) yield JSON.parse(data) as WorldEvent
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}
