/**
 * Whether a text is a whole URL. In the place of `URL.canParse`, which Node.js 20 gets wrong once V8 has compiled the call, after some
 * thousand of them: from then on it refuses every text with a letter such as the ü of https://münchen.example/.
 */
export function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}
