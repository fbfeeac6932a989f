import type { Sandbox } from '../../src/sandbox/sandbox.ts'

/** An event as a listener of a stream gets it. */
export interface StreamedEvent {
  readonly id: string
  readonly type: string
  readonly data: { readonly [name: string]: unknown }
}

/** Opens the stream of a world and reads from it until it has seen so many events. @param query with its question mark */
export async function eventStream(
  from: Sandbox,
  name: string,
  headers: Record<string, string> = {},
  query = '',
) {
  const authorization = `Basic ${Buffer.from(`${name}:demo`).toString('base64')}`
  const request = new Request(`http://sandbox.test/sandbox/events${query}`, {
    headers: { authorization, ...headers },
  })
  const response = await from.fetch(request)
  // Read from the body itself: behind a TransformStream of Node.js 24 it is canceled after `stop` has resolved.
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    response,
    /** Fewer than asked for where the stream ends before. */
    async read(count: number): Promise<StreamedEvent[]> {
      const events = () =>
        [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as StreamedEvent)
      while (events().length < count) {
        const { value, done } = await reader.read()
        if (done) break
        text += decoder.decode(value, { stream: true })
      }
      return events().slice(0, count)
    },
    stop: () => reader.cancel(),
  }
}
