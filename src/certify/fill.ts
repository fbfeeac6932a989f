/** `${order}` and the like in the texts of a profile. */

const PLACE = /\$\{([^}]*)\}/g

export type Values = Readonly<Record<string, string | number>>

/** The names that a value's texts ask for. */
export function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACE)].map(([, name]) => name!)
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(namesIn)
  return []
}

/** A text with what stands in its worlds; a name that is not known stays. */
export const fillText = (text: string, values: Values): string =>
  text.replace(PLACE, (whole, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole))

/** A value with what stands in the worlds of its texts; a text that is one place alone becomes what stands there, numbers too. */
export function fill(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const [, alone] = /^\$\{([^}]*)\}$/.exec(value) ?? []
    return alone !== undefined && Object.hasOwn(values, alone) ? values[alone] : fillText(value, values)
  }
  if (Array.isArray(value)) return value.map((each) => fill(each, values))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, values)]))
  return value
}
