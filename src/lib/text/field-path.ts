/** Maximum number of characters of a name in messages. */
const LONGEST = 80

/** The path of a field: object keys and list indexes. */
export type FieldPath = readonly (string | number)[]

/** Formats a path for messages: `customer.phones[0]`. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`
    const name = cutShort(String(key), LONGEST)
    return before === '' ? name : `${before}.${name}`
  }, '')

export const cutShort = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text
