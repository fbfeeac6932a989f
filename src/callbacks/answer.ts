import type { IncomingMessage } from 'node:http'

/** What a receiver answered. */
export interface Answer {
  readonly status: number | null
  readonly headers: { readonly [name: string]: string }
  /** The first 4 KiB. */
  readonly body: string
}

/** How much of an answer's body is kept, bytes. */
export const ANSWER_KEPT = 4096

/**
 * Reads an answer's head and the beginning of its body; a longer one is not read to its end. Always resolves: a body that
 * breaks off or never ends takes nothing from the status that was there before.
 */
export function readAnswer(response: IncomingMessage): Promise<Answer> {
  return new Promise((resolve) => {
    const kept: Buffer[] = []
    let size = 0
    const done = () =>
      resolve({
        status: response.statusCode ?? null,
        headers: headersOf(response),
        body: Buffer.concat(kept).subarray(0, ANSWER_KEPT).toString('utf8'),
      })
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      kept.push(chunk)
      if (size > ANSWER_KEPT) response.destroy()
    })
    response.on('error', done)
    response.on('close', done)
    response.on('end', done)
  })
}

function headersOf({ headers }: IncomingMessage): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : `${value}`,
    ]),
  )
}
