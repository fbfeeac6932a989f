import { setMaxListeners } from 'node:events'
import http from 'node:http'

/** The owner of a world that tries to starve its neighbours. */
export interface Attacker {
  readonly port: number
  /** Resolves to the status, or to 0 if the connection broke or `goes` was aborted. Sends a body that is not a string as JSON. */
  send(method: string, path: string, body?: unknown, type?: string): Promise<number>
  /** Same as `send`, with the text of the response. */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }>
  /** Aborted when the measurement is over. */
  readonly over: AbortSignal
  /** Returns the number of responses per status since the last call, such as `201 × 340, 429 × 3`. */
  answers(): string
}

/** The owner of the default world, on separate connections. */
export function attackerOf(port: number, over: AbortSignal): Attacker {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })
  const statuses = new Map<number, number>()
  setMaxListeners(0, over)
  over.addEventListener('abort', () => agent.destroy())
  const ask = (method: string, path: string, body?: unknown, type = 'application/json') =>
    new Promise<{ status: number; text: string }>((resolve) => {
      if (over.aborted) return resolve({ status: 0, text: '' })
      const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const request = http.request(
        {
          host: '127.0.0.1',
          port,
          path,
          method,
          agent,
          headers: {
            authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}`,
            ...(text !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
          },
        },
        (answer) => {
          const parts: Buffer[] = []
          const status = answer.statusCode ?? 0
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          answer.on('data', (part: Buffer) => parts.push(part))
          answer.on('close', () => resolve({ status, text: Buffer.concat(parts).toString('utf8') }))
        },
      )
      request.on('error', () => resolve({ status: 0, text: '' }))
      over.addEventListener('abort', () => request.destroy(), { once: true })
      request.end(text)
    })
  return {
    port,
    over,
    answers() {
      const told = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`)
      statuses.clear()
      return told.join(', ')
    },
    ask,
    send: async (method, path, body, type) => (await ask(method, path, body, type)).status,
  }
}
