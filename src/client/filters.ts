import { suggestion } from '../lib/text/suggest.ts'

/**
 * A filter that is not known would be no filter at all.
 * @param asked what has been called, such as `requests.list`
 * @throws TypeError with the nearest one that there is
 */
export function requireKnown(asked: string, filter: object, known: readonly string[]): void {
  for (const name of Object.keys(filter))
    if (!known.includes(name))
      throw new TypeError(`${asked}: ${name} is not known here${suggestion(name, known)}`)
}
