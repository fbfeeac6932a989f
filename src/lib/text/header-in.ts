/** Returns a header from alternating names and values; repeated headers are joined (RFC 9110, 5.3). */
export function headerIn(headers: readonly string[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  let value: string | undefined
  for (let i = 0; i < headers.length; i += 2) {
    const sent = headers[i]!
    if (sent.length !== wanted.length || sent.toLowerCase() !== wanted) continue
    value = value === undefined ? headers[i + 1]! : `${value}, ${headers[i + 1]!}`
  }
  return value
}
