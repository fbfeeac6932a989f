/** What the shop remembers. It outlives the shop: one that is started anew gets the same store. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** How an order stands. `unclear` is for a person to look at: money came that does not fit. */
export type OrderStatus = 'waiting' | 'refused' | 'failed' | 'unclear' | 'paid' | 'reversed'

/** Where the service is, who the shop is there, and where it is called back. */
export interface Account {
  readonly baseUrl: string
  /** The header's value. */
  readonly authorization: string
  readonly callbackUrl: string
}

export interface Order {
  readonly order: string
  readonly account: Account
  readonly kind: 'collection' | 'payout'
  /** The shop's own name of the payment, told as `external_reference`: unique, also when an order is tried again. */
  readonly reference: string
  /** Whole shillings. */
  readonly amount: number
  readonly currency: string
  readonly phone: string
  /** When it was placed, by the shop's clock. */
  readonly at: number
  status: OrderStatus
  /** How often the goods went out. */
  deliveries: number
  /** What came for it, whole shillings. */
  paid: number
  /** Why it failed, or what is unclear, in the service's words. */
  reason?: string
  /** The service's own name of the payment, once it was told. */
  serviceReference?: string
}

export interface Rows {
  /** By reference. */
  readonly orders: Map<string, Order>
  /** The ids of the callbacks that were taken, and when. */
  readonly events: Map<string, number>
}

export interface Store {
  read<T>(look: (rows: Rows) => T): Promise<T>
  /** One change: alone, whole or not at all, and kept once the promise is fulfilled. */
  write<T>(change: (rows: Rows) => T): Promise<T>
}

/** A database's stand-in: it takes a moment, as one over a network does. */
export function memoryStore(): Store {
  const rows: Rows = { orders: new Map(), events: new Map() }
  const trip = () => new Promise<void>((resolve) => setImmediate(resolve))
  const run = async <T>(work: (rows: Rows) => T): Promise<T> => {
    await trip()
    const result = work(rows)
    await trip()
    return result
  }
  return { read: run, write: run }
}

/** The order of that name; after several tries the last. */
export const orderNamed = ({ orders }: Rows, name: string): Order | undefined =>
  [...orders.values()].findLast(({ order }) => order === name)

/** In a file, for a shop that runs as a server and is started anew. */
export function fileStore(path: string): Store {
  const rows: Rows = { orders: new Map(), events: new Map() }
  if (existsSync(path)) {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as {
      orders: [string, Order][]
      events: [string, number][]
    }
    for (const each of kept.orders) rows.orders.set(...each)
    for (const each of kept.events) rows.events.set(...each)
  }
  return {
    read: async (look) => look(rows),
    async write(change) {
      const result = change(rows)
      writeFileSync(`${path}.new`, JSON.stringify({ orders: [...rows.orders], events: [...rows.events] }))
      renameSync(`${path}.new`, path)
      return result
    },
  }
}
