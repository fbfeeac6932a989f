/** The texts that were parsed last: each attempt of a callback needs its address several times. */
const parsed = new Map<string, URL | undefined>()
const MOST_KEPT = 100

export const isUrl = (text: string): boolean => urlOf(text) !== undefined

/** Whether the text is the address of a server, such as `http://127.0.0.1:8080`. */
export const isAddress = (text: string): boolean => /^https?:\/\/[^/]/.test(text) && isUrl(text)

const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/

/** Whether the name of a host, as a parsed URL has it, leads to this machine. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname.replace(/\.$/, ''))

/** Parses an absolute URL. `URL.canParse` in Node.js 20 rejects every text with a character such as ü once V8 has compiled the call. */
export function urlOf(text: string): Readonly<URL> | undefined {
  if (parsed.has(text)) return parsed.get(text)
  if (parsed.size >= MOST_KEPT) parsed.clear()
  parsed.set(text, undefined)
  try {
    parsed.set(text, new URL(text))
  } catch {}
  return parsed.get(text)
}
