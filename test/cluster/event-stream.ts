import type { Sandbox } from './processes.ts'

/** An event as a listener gets it. */
export interface Heard {
  readonly id: string
  readonly type: string
  readonly at: string
  readonly data: { readonly [name: string]: unknown }
}

/** A line to one process, by which the events of the world arrive until it is ended or breaks. */
export interface Line {
  readonly over: Promise<void>
  end(): void
}

/** Listens to the events of the default world after an id. @param hear is called for each, in order */
export async function listen(
  { url }: Sandbox,
  last: string | undefined,
  hear: (event: Heard) => void,
): Promise<Line> {
  const stop = new AbortController()
  const response = await fetch(`${url}/sandbox/events`, {
    headers: { authorization: `Basic ${btoa('demo:demo')}`, ...(last && { 'last-event-id': last }) },
    signal: stop.signal,
  })
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
        // What arrives after its end is asked for again, by the id of the last that was taken.
        if (data !== undefined && !stopped.aborted) hear(JSON.parse(data) as Heard)
      }
    }
  } catch {
    // The line broke.
  }
}
