/** The two expression languages of profiles: placeholders such as `${order}` in texts, and paths into JSON such as `$.order.status`. */

const PLACE = /\$\{([^}]*)\}/g

export type Values = Readonly<Record<string, string | number>>

/** Returns the placeholders in the texts of a value. */
export function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACE)].map(([, name]) => name!)
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(namesIn)
  return []
}

/** Fills the placeholders of a text; unknown ones stay. */
export const fillText = (text: string, values: Values): string =>
  text.replace(PLACE, (whole, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole))

/** Fills the placeholders in all texts of a value. A text that is a single placeholder becomes its value. */
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

/** Environment variables for `${env.NAME}`. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Returns the environment variables that the texts of values name. */
export const variablesIn = (values: readonly unknown[], env: Variables): Readonly<Record<string, string>> =>
  Object.fromEntries(
    values
      .flatMap(namesIn)
      .filter((name) => name.startsWith('env.'))
      .map((name) => [name, env[name.slice(4)] ?? '']),
  )

const STEP = /\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y

/** Returns the steps of a path, or undefined if it is invalid. */
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

/** Returns the own value at a path, or undefined. @param path a valid path */
export function valueAt(value: unknown, path: string): unknown {
  let here = value
  for (const step of stepsOf(path) ?? []) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}
