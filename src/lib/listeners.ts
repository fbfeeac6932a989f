/** Told that a listener threw, what it had been told of, and whose it was; it does not throw itself. */
export type OnError = (error: unknown, about: { readonly [name: string]: unknown }) => void

/** For who has no log: the error surfaces on its own, out of the reach of whoever told the listener. */
export const surfaceError: OnError = (error) =>
  queueMicrotask(() => {
    throw error
  })

/** Those who want to hear of something. The error of one reaches neither the others nor whoever tells them. */
export class Listeners<Told extends readonly unknown[]> {
  /** Made when there is one: each world has several of these, and most are never listened to. */
  #listeners: Set<(...told: Told) => void | Promise<void>> | undefined
  readonly #onError: (error: unknown, ...told: Told) => void

  /** @param onError takes what a listener threw, and what it was told; does not throw */
  constructor(onError: (error: unknown, ...told: Told) => void) {
    this.#onError = onError
  }

  get size(): number {
    return this.#listeners?.size ?? 0
  }

  /** Returns how to stop listening. */
  add(listener: (...told: Told) => void | Promise<void>): () => void {
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  /** Tells each, in the order in which they came. */
  tell(...told: Told): void {
    if (!this.#listeners) return
    for (const listener of this.#listeners) {
      try {
        const heard = listener(...told)
        if (heard instanceof Promise) heard.catch((error: unknown) => this.#onError(error, ...told))
      } catch (error) {
        this.#onError(error, ...told)
      }
    }
  }

  /** Tells one after another, each when the one before is done with it. */
  async tellInTurn(...told: Told): Promise<void> {
    for (const listener of this.#listeners ?? []) {
      try {
        await listener(...told)
      } catch (error) {
        this.#onError(error, ...told)
      }
    }
  }

  clear(): void {
    this.#listeners?.clear()
  }
}
