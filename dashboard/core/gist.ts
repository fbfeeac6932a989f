/** Summarises a body in one line: for callbacks the reference and result. */
export function gistOf(body: string): string {
  let fields: Record<string, unknown>
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null) return shortly(body)
    fields = value as Record<string, unknown>
  } catch {
    return shortly(body)
  }
  // The nested callback shape has the fields one level deeper.
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
