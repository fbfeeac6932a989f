/**
 * Where a request goes.
 * @param input what `fetch` is given: an address, a path of the sandbox or a request
 * @param base of the sandbox; it may stand below a path of a site
 */
export function addressOf(input: string | URL | Request, base: string): Request | URL {
  if (typeof input !== 'string') return input
  return new URL(input.startsWith('/') ? base + input : input, base)
}
