import type { MailRow } from '../store/rows.ts'

/** The HTML of a mail: its text, with the link to be clicked. */
export function mailHtml({ text, link }: Pick<MailRow, 'text' | 'link'>): string {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => `<p>${escaped(paragraph)}</p>`)
  const html = paragraphs.join('\n')
  if (link === '') return html
  const shown = escaped(link)
  return html.replaceAll(shown, `<a href="${shown}">${shown}</a>`)
}

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character]!)
