/**
 * Returns whether a text is an absolute URL. Replaces `URL.canParse`, which in Node.js 20 rejects every text with a character such as
 * ü once V8 has compiled the call.
 */
export function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}
