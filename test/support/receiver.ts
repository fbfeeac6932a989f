import { EventEmitter } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { within } from './within.ts'

export interface Arrival {
  readonly path: string
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Readonly<Record<string, unknown>>
}

const open = new Set<() => void>()

/** Closes those of the test that is over. */
export function closeReceivers(): void {
  for (const close of open) close()
  open.clear()
}

const answerNothing = (response: ServerResponse) => void response.end()

/**
 * A receiver of callbacks on a port of its own.
 * @param answer how it answers; 200 with nothing when left out, and one that does nothing hangs
 */
export async function startReceiver(answer: (response: ServerResponse) => void = answerNothing) {
  const arrivals: Arrival[] = []
  const events = new EventEmitter().setMaxListeners(0)
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      arrivals.push({ path: request.url!, headers: request.headers, body: JSON.parse(text) })
      events.emit('arrival')
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.add(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    /** Waits until what has arrived is enough. */
    until: (what: string, enough: (arrivals: readonly Arrival[]) => boolean, limit = 30_000) =>
      within<readonly Arrival[]>(what, limit, (found) => {
        const look = () => {
          if (enough(arrivals)) found(arrivals)
        }
        events.on('arrival', look)
        look()
      }),
  }
}
