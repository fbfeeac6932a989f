/** Characters of a name that messages show. */
const LONGEST = 80

/** Where a field stands: names of objects, places in lists. */
export type FieldPath = readonly (string | number)[]

/** The same as messages name it: `customer.phones[0]`. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`
    const name = cutShort(String(key), LONGEST)
    return before === '' ? name : `${before}.${name}`
  }, '')

/** The beginning of a text, with a sign that there was more. */
export const cutShort = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text
