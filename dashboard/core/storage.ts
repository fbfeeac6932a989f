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
