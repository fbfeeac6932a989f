const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text as markup shows it, between tags and in attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)
