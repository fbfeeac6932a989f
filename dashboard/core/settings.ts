export interface Settings {
  /** The path of the sandbox; empty at the root. */
  readonly at: string
  /** The sandbox's address for programs, such as `http://127.0.0.1:8080`. */
  readonly origin: string
  /** A valid API username, and its password if that is public. */
  readonly username: string
  readonly password?: string
  readonly passwordFrom: string
  /** Whether `/__admin` always requires a token. */
  readonly isHosted: boolean
  /** A Team that can collect. */
  readonly collector?: { readonly id: number; readonly name?: string }
}

export const root = document.getElementById('app')!

export const settings = JSON.parse(root.dataset['settings']!) as Settings

/**
 * Keeps a value until the window closes, across reloads if the browser allows storage.
 * @param name - the storage key
 */
export function keptInWindow<T>(name: string, otherwise: T) {
  const key = `payments-sandbox:${name}`
  let kept = otherwise
  try {
    const text = sessionStorage.getItem(key)
    if (text !== null) kept = JSON.parse(text) as T
  } catch {
    // Without storage, the value only lasts until a reload.
  }
  return {
    get: () => kept,
    set(value: T) {
      kept = value
      try {
        sessionStorage.setItem(key, JSON.stringify(value))
      } catch {
        // Without storage, the value only lasts until a reload.
      }
    },
  }
}
