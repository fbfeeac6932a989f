/** The two expression languages of profiles: placeholders such as `${order}` in texts, and paths into JSON such as `$.order.status`. */

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

const STEP = /\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y

/** The steps of a path; undefined when it is none. */
export function stepsOf(path: string): readonly (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined
  const steps: (string | number)[] = []
  STEP.lastIndex = 1
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    const [, name, index, single, double] = STEP.exec(path) ?? []
    const key = name ?? single ?? double
    if (key !== undefined) steps.push(key)
    else if (index !== undefined) steps.push(Number(index))
    else return undefined
  }
  return steps
}

/** What stands at a path; undefined where nothing does. Inherited things do not count. @param path a right one */
export function valueAt(value: unknown, path: string): unknown {
  let here = value
  for (const step of stepsOf(path) ?? []) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}
