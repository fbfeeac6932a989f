import { type Duplex, duplexPair } from 'node:stream'

/** What `node:http` calls on sockets. The connection never times out. */
const socket = {
  remoteAddress: '127.0.0.1',
  remotePort: 0,
  setKeepAlive() {},
  setNoDelay() {},
  setTimeout() {},
  ref() {},
  unref() {},
}

/** Creates a connection within the process. @param encrypted - Reported to the server; nothing is encrypted. */
export function socketPair(encrypted: boolean): { readonly client: Duplex; readonly server: Duplex } {
  const [client, server] = duplexPair()
  // Deferred, so that the other end reads all data first, as over a network.
  client.on('close', () => void setImmediate(() => server.destroy()))
  server.on('close', () => void setImmediate(() => client.destroy(server.errored ?? undefined)))
  return { client: Object.assign(client, socket), server: Object.assign(server, socket, { encrypted }) }
}
