const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for HTML and XML content and attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)
