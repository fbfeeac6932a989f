/** Reports the error of a listener. Must not throw. */
export type OnError = (error: unknown, about: { readonly [name: string]: unknown }) => void

/** Throws the error in a microtask, out of the caller's reach; for code without a log. */
export const surfaceError: OnError = (error) =>
  queueMicrotask(() => {
    throw error
  })

/** A set of listeners. The error of one affects neither the others nor the caller. */
export class Listeners<Told extends readonly unknown[]> {
  /** Created when needed: each world has several sets, mostly empty. */
  #listeners: Set<(...told: Told) => void | Promise<void>> | undefined
  readonly #onError: (error: unknown, ...told: Told) => void

  /** @param onError - Receives what a listener threw and its arguments. Must not throw. */
  constructor(onError: (error: unknown, ...told: Told) => void) {
    this.#onError = onError
  }

  get size(): number {
    return this.#listeners?.size ?? 0
  }

  /** Returns a function that removes the listener. */
  add(listener: (...told: Told) => void | Promise<void>): () => void {
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

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

  /** Calls the listeners one after another, waiting for each. */
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
