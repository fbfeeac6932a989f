import { asHere, commandsHere, type Here } from './here.ts'

/**
 * Markdown with this sandbox's own address and credentials. Code is told from prose by its fences.
 * @param links makes the links of prose lead somewhere
 */
export const markdownHere = (markdown: string, here: Here, links: (prose: string) => string): string =>
  markdown
    .split(/^(```[^]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? commandsHere(part, here) : asHere(links(part), here)))
    .join('')
