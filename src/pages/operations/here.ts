import type { Here } from '../guides/here.ts'
import { markdownHere } from '../guides/markdown-here.ts'
import { receiverHere } from '../viewer/receiver-here.ts'

/** An operation's page for whoever reads it at this sandbox: its links are whole, its requests can be typed. */
export const operationHere = (markdown: string, here: Here): string =>
  receiverHere(
    markdownHere(markdown, here, (prose) =>
      prose.replace(
        /\]\((\/docs\/guides)(?:\/([\w-]+))?/g,
        (_, path: string, name = 'README') => `](${here.origin}${path}/${name}.md`,
      ),
    ),
    here.origin,
  )
