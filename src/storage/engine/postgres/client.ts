import type { Client, ClientConfig } from 'pg'
import type { Duplex } from 'node:stream'

/** The type of `bigint`. */
const BIGINT = 20

interface Connection {
  attachListeners(stream: Duplex): void
}

/** Returns the class of all connections: the driver's, without the ways in which it would end the process. */
export function clientClass(pg: (typeof import('pg'))['default']): typeof Client {
  const types: NonNullable<ClientConfig['types']> = {
    // Versions and sums are far below what a number holds.
    getTypeParser: ((oid: number, format: 'text' | 'binary') =>
      oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  }
  return class SandboxClient extends pg.Client {
    constructor(config: ClientConfig) {
      super({ ...config, types })
      // Callers that wait for a response get the error; an idle connection has no one who needs it.
      this.on('error', () => {})
      breakOnNoise((this as unknown as { readonly connection: Connection }).connection)
    }
  }
}

/** The driver's parser throws out of the socket's event when the bytes are not of its protocol; the connection breaks instead. */
function breakOnNoise(connection: Connection): void {
  const attach = connection.attachListeners
  connection.attachListeners = function (stream) {
    attach.call(this, stream)
    const parse = stream.listeners('data').at(-1) as (bytes: Buffer) => void
    stream.off('data', parse)
    stream.on('data', (bytes: Buffer) => {
      try {
        parse(bytes)
      } catch (error) {
        stream.destroy(error as Error)
      }
    })
  }
}
