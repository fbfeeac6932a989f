import type { Sandbox } from './processes.ts'

export interface Heard {
  readonly id: string
  readonly type: string
  readonly at: string
  readonly data: { readonly [name: string]: unknown }
}

/** A stream of the events of the world from one process, until it is closed or breaks. */
export interface Line {
  readonly over: Promise<void>
  end(): void
}

/**
 * Streams the events of the default world after an id.
 * @param hear - Called for each, in order.
 * @param patience - Milliseconds for the response.
 */
export async function listen(
  { url }: Sandbox,
  last: string | undefined,
  hear: (event: Heard) => void,
  patience = 20_000,
): Promise<Line> {
  const stop = new AbortController()
  const cancel = setTimeout(() => stop.abort(), patience)
  const response = await fetch(`${url}/sandbox/events`, {
    headers: { authorization: `Basic ${btoa('demo:demo')}`, ...(last && { 'last-event-id': last }) },
    signal: stop.signal,
  }).finally(() => clearTimeout(cancel))
  if (response.status !== 200) throw new Error(`events are answered ${response.status}`)
  const over = read(response.body!, hear, stop.signal)
  return { over, end: () => stop.abort() }
}

async function read(
  body: ReadableStream<Uint8Array>,
  hear: (event: Heard) => void,
  stopped: AbortSignal,
): Promise<void> {
  let text = ''
  try {
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        // Events that arrive after closing are requested again, after the last one processed.
        if (data !== undefined && !stopped.aborted) hear(JSON.parse(data) as Heard)
      }
    }
  } catch {
    // The stream broke.
  }
}
