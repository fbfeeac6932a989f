/**
 * Keeps a value as long as the window is open, over a reload where the browser has storage for the page.
 * @param name of its place
 */
export function keptInWindow<T>(name: string, otherwise: T) {
  const key = `payments-sandbox:${name}`
  let kept = otherwise
  try {
    const text = sessionStorage.getItem(key)
    if (text !== null) kept = JSON.parse(text) as T
  } catch {
    // A browser without storage, or what somebody else wrote there: the window itself remembers.
  }
  return {
    get: () => kept,
    set(value: T) {
      kept = value
      try {
        sessionStorage.setItem(key, JSON.stringify(value))
      } catch {
        // As above.
      }
    },
  }
}
