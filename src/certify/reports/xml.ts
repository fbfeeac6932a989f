import { escaped as escapedMarkup } from '../../lib/text/escaped.ts'
import { visible } from './words.ts'

/** Text for XML and HTML, in quotes or not; characters that neither may have are written out. */
export const escaped = (text: string): string => escapedMarkup(visible(text))
