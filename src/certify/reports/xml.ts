import { visible } from './words.ts'

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for XML and HTML, in quotes or not; characters that neither may have are written out. */
export const escaped = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (character) => entities[character]!)
