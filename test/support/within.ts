/** Waits for an event, at most `limit` milliseconds; `listen` gets what to call with the value once it is there. */
export function within<T>(
  what: string,
  limit: number,
  listen: (found: (value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error(`waited ${limit} ms in vain for ${what}`)), limit)
    listen((value) => {
      clearTimeout(deadline)
      resolve(value)
    })
  })
}
