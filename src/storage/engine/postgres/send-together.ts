import type { Client } from 'pg'
import type { Duplex } from 'node:stream'

const corked = new WeakSet<Duplex>()

/**
 * What is asked of a connection from here to the end of this turn leaves in one write: each by itself would cost a call of the
 * system, and wake the database.
 */
export function sendTogether(client: Client): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection
  if (corked.has(stream)) return
  corked.add(stream)
  stream.cork()
  process.nextTick(() => {
    corked.delete(stream)
    stream.uncork()
  })
}
