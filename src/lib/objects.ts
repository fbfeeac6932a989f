/** What has fields to look into; a list too. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The same, but no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value)

/** Lays one object over another, objects within objects too; what is undefined leaves what was there. */
export function mergeDeep<Below extends object>(below: Below, above: object): Below {
  const merged = { ...below } as Record<string, unknown>
  for (const [name, value] of Object.entries(above)) {
    if (value === undefined) continue
    const before = merged[name]
    merged[name] = isRecord(before) && isRecord(value) ? mergeDeep(before, value) : value
  }
  return merged as Below
}
