/** What a text of JSON says; undefined when it is none. */
export function parsedJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
