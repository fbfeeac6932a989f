/** Returns whether a value is an object or a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Returns whether a value is an object and not a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value)

/** Returns the fields that have a value. */
export const defined = <T extends object>(value: T | undefined) =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, each]) => each !== undefined)) as {
    [Field in keyof T]?: Exclude<T[Field], undefined>
  }

/** Merges an object and its nested objects over another; undefined values are ignored. */
export function mergeDeep<Below extends object>(below: Below, above: object): Below {
  const merged = { ...below } as Record<string, unknown>
  for (const [name, value] of Object.entries(above)) {
    if (value === undefined) continue
    const before = merged[name]
    merged[name] = isRecord(before) && isRecord(value) ? mergeDeep(before, value) : value
  }
  return merged as Below
}

/** The same without permission to change anything. */
export type Frozen<T> = T extends readonly (infer Element)[]
  ? readonly Frozen<Element>[]
  : T extends object
    ? { readonly [Field in keyof T]: Frozen<T[Field]> }
    : T

/** `Fields` with all fields required to be listed, even those that may be undefined. */
export type Complete<Fields> = { readonly [Field in keyof Required<Fields>]: Fields[Field] }
