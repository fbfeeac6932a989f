import { Duplex } from 'node:stream'

/** One end of a connection within the process. To `node:http` it looks like a socket that never times out. */
class End extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 0
  readonly encrypted: boolean
  readonly #passesErrors: boolean
  #other: End | undefined
  /** Completes the last write of the other end. */
  #written: (() => void) | undefined

  /** @param passesErrors - Whether an error that destroys this end also destroys the other. */
  constructor(encrypted: boolean, passesErrors: boolean) {
    super({ allowHalfOpen: true })
    this.encrypted = encrypted
    this.#passesErrors = passesErrors
  }

  join(other: End): this {
    this.#other = other
    return this
  }

  override _read(): void {
    this.#release()
  }

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
    // Deferred, so that the other end reads all data first, as over a network.
    setImmediate(() => other.destroy(this.#passesErrors && error ? error : undefined))
  }

  readonly setKeepAlive = () => this
  readonly setNoDelay = () => this
  readonly setTimeout = () => this
  readonly ref = () => this
  readonly unref = () => this
}

/** Creates a connection within the process. @param encrypted - Reported to the server; nothing is encrypted. */
export function socketPair(encrypted: boolean): { readonly client: Duplex; readonly server: Duplex } {
  const client = new End(false, false)
  const server = new End(encrypted, true)
  return { client: client.join(server), server: server.join(client) }
}
