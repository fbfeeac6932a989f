import type { Client } from 'pg'

/** More than this many connections that nobody uses are closed. */
const MOST_IDLE = 4

/** Connections that wait for the next transaction. */
export class ReadyClients {
  readonly #clients = new Set<Client>()

  take(): Client | undefined {
    for (const client of this.#clients) {
      this.#clients.delete(client)
      return client
    }
    return undefined
  }

  add(client: Client): void {
    if (this.#clients.size >= MOST_IDLE) return void client.end().catch(() => {})
    this.#clients.add(client)
  }

  /** Leaves out one that is lost. */
  remove(client: Client): void {
    this.#clients.delete(client)
  }

  /** Closes all there are. */
  clear(): void {
    for (const client of this.#clients) client.end().catch(() => {})
    this.#clients.clear()
  }

  all(): readonly Client[] {
    return [...this.#clients]
  }
}
