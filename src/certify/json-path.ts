/** Simple paths into JSON: `$.order.items[0].state`, `$['a b']`. Nothing is searched and nothing computed. */

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
