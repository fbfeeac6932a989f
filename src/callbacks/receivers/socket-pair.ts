import { Duplex } from 'node:stream'

/** One end of a connection within the process; for `node:http` it is a socket that never is idle for too long. */
class End extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 0
  readonly encrypted: boolean
  readonly #tells: boolean
  #other: End | undefined
  /** Bytes that the other end wrote and this end has not read. */
  #written: (() => void) | undefined

  /** @param tells whether what destroys it is an error of the other end, too */
  constructor(encrypted: boolean, tells: boolean) {
    super({ allowHalfOpen: true })
    this.encrypted = encrypted
    this.#tells = tells
  }

  join(other: End): this {
    this.#other = other
    return this
  }

  override _read(): void {
    this.#release()
  }

  /** Notifies the other end that this end has read its bytes. */
  #release(): void {
    const written = this.#written
    this.#written = undefined
    written?.()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const other = this.#other
    if (!other || other.destroyed || chunk.length === 0) return process.nextTick(done)
    other.#written = done
    other.push(chunk)
  }

  override _final(done: () => void): void {
    this.#other?.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other
    this.#other = undefined
    done(error)
    if (!other) return
    other.#release()
    // What was written before is read before, as over a network.
    setImmediate(() => other.destroy(this.#tells && error ? error : undefined))
  }

  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setTimeout(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

/**
 * Both ends of a connection that never leaves the process.
 * @param encrypted what the server is told: nothing is, for nobody can listen
 */
export function socketPair(encrypted: boolean): { readonly client: Duplex; readonly server: Duplex } {
  const client = new End(false, false)
  const server = new End(encrypted, true)
  return { client: client.join(server), server: server.join(client) }
}
