/**
 * Parses pasted headers: `name: value` lines, curl options or JSON, with or without the request line.
 * @returns also the lines that could not be parsed
 */
export function readHeaders(text: string): {
  readonly headers: { readonly [name: string]: string }
  readonly unread: readonly string[]
} {
  const json = asJson(text)
  if (json) return { headers: json, unread: [] }
  const headers: Record<string, string> = {}
  const unread: string[] = []
  for (const raw of text.split(/\r?\n/)) {
    const line = raw
      .trim()
      .replace(/\s*\\$/, '')
      .replace(/^(?:-H|--header)\s+(['"])(.*)\1$/, '$2')
    if (line === '' || /^[A-Z]+ \S+( HTTP\/[\d.]+)?$/.test(line)) continue
    const [, name, value] = /^([!#$%&'*+\-.^_`|~\w]+)\s*:\s*(.*)$/.exec(line) ?? []
    if (name === undefined) unread.push(line)
    else headers[name.toLowerCase()] = value!
  }
  return { headers, unread }
}

function asJson(text: string): { readonly [name: string]: string } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toLowerCase(), String(each)]))
  } catch {
    return undefined
  }
}

export const headerLines = (headers: { readonly [name: string]: string }): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
