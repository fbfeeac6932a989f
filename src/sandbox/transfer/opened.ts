import type { Engine } from '../../storage/engine/engine.ts'

export type OpenEngine = () => Promise<Engine>

/** Rows that may be in memory before the engine is opened anew, bytes. */
const MOST_HELD = 64 << 20

/**
 * An engine that is opened when it is needed, and where it can be read anew from elsewhere, opened anew once it holds much: worlds
 * are passed on one after another, and none is needed twice.
 */
export class Opened {
  readonly #open: OpenEngine
  #engine: Promise<Engine> | undefined
  #held = 0

  constructor(open: OpenEngine) {
    this.#open = open
  }

  engine(): Promise<Engine> {
    return (this.#engine ??= this.#open())
  }

  /** Notes that so many bytes of rows were read. */
  async read(bytes: number): Promise<void> {
    this.#held += bytes
    if (this.#held < MOST_HELD || !(await this.engine()).isRemote) return
    await this.close()
  }

  async close(): Promise<void> {
    const engine = this.#engine
    this.#engine = undefined
    this.#held = 0
    await (await engine?.catch(() => undefined))?.close()
  }
}
