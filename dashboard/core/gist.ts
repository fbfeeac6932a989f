/** What a body is about, in a line: of a callback its reference and how it ended. */
export function gistOf(body: string): string {
  let fields: Record<string, unknown>
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null) return shortly(body)
    fields = value as Record<string, unknown>
  } catch {
    return shortly(body)
  }
  // The shape of older integrations has the same a level below.
  const { response } = fields
  const inner = typeof response === 'object' && response !== null ? (response as Record<string, unknown>) : {}
  const first = (...names: readonly unknown[]) =>
    names.find((each): each is string => typeof each === 'string' && each !== '')
  const about = first(
    fields['external_reference'],
    inner['ExternalReference'],
    fields['reference'],
    inner['CheckoutRequestID'],
  )
  const how = first(fields['status'], inner['Status'], fields['message'])
  return about === undefined ? shortly(body) : [about, how?.toLowerCase()].filter(Boolean).join(', ')
}

const shortly = (text: string) => {
  const line = text.slice(0, 120).replace(/\s+/g, ' ').trim()
  return text.length > 120 ? `${line}…` : line
}
