import * as z from 'zod'
import { documentsOf, readDocument, searchDocuments } from '../documents.ts'
import { listOf } from '../fields.ts'
import { LOOKS, tool } from '../tool.ts'

/** What is written of the service and the sandbox. */
export const docs = tool({
  name: 'docs',
  title: 'Search and read the documentation',
  description:
    'Finds parts of the guides and operations by words (search), or gives one whole (read: a guide such as callbacks or scenario-files, an operation such as createCollection, or skill for how to integrate and test). Without either it lists them. What is marked observed or assumed there is not promised by the service.',
  input: z.strictObject({
    search: z.string().max(200).optional().describe('A few words, such as "verify signature php".'),
    read: z.string().max(200).optional().describe('The name of a guide or of an operation.'),
  }),
  output: z.object({
    found: listOf('Parts that fit, best first, or all texts.'),
    text: z.string().nullable().describe('The text that was read.'),
  }),
  hints: LOOKS,
  async run(world, { search, read }) {
    if (read !== undefined) {
      const { text, ...found } = await readDocument(world, read)
      return { text, facts: { found: [found], text } }
    }
    if (search !== undefined) {
      const found = await searchDocuments(world, search)
      const text = found
        .map((each) => `${each.heading} (read: ${each.name})\n${each.excerpt}`)
        .join('\n\n---\n\n')
      return {
        text: text || `Nothing has ${search}; call docs without arguments for the list.`,
        facts: { found, text: null },
      }
    }
    const found = await documentsOf(world)
    return {
      text: found
        .map(
          ({ name, title, about }) =>
            `${name}: ${[title, about].filter((each) => each !== name && each !== '').join('; ')}`,
        )
        .join('\n'),
      facts: { found, text: null },
    }
  },
})
