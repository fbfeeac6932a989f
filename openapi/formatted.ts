import { readFileSync } from 'node:fs'
import { format } from 'oxfmt'

const style = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8'))

/**
 * Returns the text as `npm run format` would write it.
 * @param file - the name of the file; its extension determines the language
 * @throws {Error} If the text is invalid in that language
 */
export async function formatted(file: string, text: string): Promise<string> {
  const { code, errors } = await format(file, text, style)
  const [error] = errors
  if (error) throw new Error(`${file} cannot be formatted: ${error.message}\n${error.codeframe ?? ''}`)
  return code
}
