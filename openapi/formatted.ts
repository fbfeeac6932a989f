import { readFileSync } from 'node:fs'
import { format } from 'oxfmt'

const style = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8'))

/**
 * Text as `npm run format` leaves it.
 * @param file what it is to be written as; its ending says the language
 * @throws Error when it is not of that language
 */
export async function formatted(file: string, text: string): Promise<string> {
  const { code, errors } = await format(file, text, style)
  const [error] = errors
  if (error) throw new Error(`${file} cannot be formatted: ${error.message}\n${error.codeframe ?? ''}`)
  return code
}
