/** Scheme and authority of a request's URL: where the client reached the sandbox, e.g. `http://127.0.0.1:8080`. */
export function originOf(url: string): string {
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path < 0 ? url : url.slice(0, path)
}
