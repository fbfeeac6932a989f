import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

/** What goes between a sandbox and its database, and can be cut there. */
export interface Proxy {
  /** The database's address by way of the proxy. */
  readonly url: string
  /** Cuts every connection, and every new one until it is told otherwise. */
  refuse(on: boolean): void
  /** Cuts every connection, now. */
  cut(): void
  /** Cuts every connection, and leads new ones to another database. */
  leadTo(database: string): void
  /** Cuts the connection whose client next sends this text, before the database has it. */
  cutBefore(text: string): Promise<void>
  /** The same after the database has it, and before its answer is passed on. */
  cutAfter(text: string): Promise<void>
  /** Cuts each new connection once so many bytes have come from the database; none any more without a function. */
  fray(bytes: (() => number) | undefined): void
  /** Sends bytes to every client that the database never sent. */
  garble(bytes: Buffer): void
  /** Holds back what is sent either way, in its order, each time so many milliseconds. */
  hold(ms: () => number): void
  close(): void
}

/**
 * Puts a proxy before the database of an address.
 * @param delay how long what a client sends is held up, milliseconds; not at all when left out
 */
export async function startProxy(database: string, delay = 0): Promise<Proxy> {
  let target = new URL(database)
  const open = new Set<Socket>()
  const clients = new Set<Socket>()
  let refusing = false
  let frayed: (() => number) | undefined
  let held: (() => number) | undefined
  const passOn = (to: Socket) => {
    let before = Promise.resolve()
    return (bytes: Buffer) => {
      if (!held) return void to.write(bytes)
      const ms = held()
      before = before.then(() => pause(ms)).then(() => void to.write(bytes))
    }
  }
  let planned: { readonly text: string; readonly after: boolean; readonly done: () => void } | undefined
  const plan = (text: string, after: boolean) =>
    new Promise<void>((done) => (planned = { text, after, done }))
  const server = createServer((client) => {
    if (refusing) return void client.destroy()
    clients.add(client)
    client.on('close', () => clients.delete(client))
    const upstream = connect(Number(target.port), target.hostname)
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        open.delete(socket)
        end()
      })
    }
    const [up, down] = [passOn(upstream), passOn(client)]
    let silent = false
    let left = frayed?.() ?? Infinity
    client.on('data', (bytes) => {
      if (delay > 0) return void setTimeout(() => upstream.write(bytes), delay)
      const due = planned
      if (!due || !bytes.includes(due.text)) return up(bytes)
      planned = undefined
      if (!due.after) {
        end()
        return due.done()
      }
      silent = true
      upstream.write(bytes)
      upstream.once('data', () => {
        end()
        due.done()
      })
    })
    upstream.on('data', (bytes) => {
      if (silent) return
      left -= bytes.length
      down(left < 0 ? bytes.subarray(0, left) : bytes)
      if (left < 0) setImmediate(end)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = new URL(database)
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    leadTo(other) {
      target = new URL(other)
      cut()
    },
    refuse(on) {
      refusing = on
      if (on) cut()
    },
    hold: (ms) => void (held = ms),
    fray(bytes) {
      frayed = bytes
      cut()
    },
    garble(bytes) {
      for (const client of clients) client.write(bytes)
    },
    cutBefore: (text) => plan(text, false),
    cutAfter: (text) => plan(text, true),
    close() {
      cut()
      server.close()
    },
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))
