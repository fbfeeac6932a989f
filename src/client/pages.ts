import type { Ask, Transport } from './transport.ts'

/**
 * All pages of a list, the newest first.
 * @param field of the answer that has the page
 * @param limit items a page
 */
export async function pagesOf<Item>(
  { ask }: Transport,
  path: string,
  field: string,
  query: Ask['query'] = {},
  limit = 1_000,
): Promise<readonly Item[][]> {
  const pages: Item[][] = []
  let before: string | number | undefined
  for (;;) {
    const answer = await ask<Record<string, unknown>>('GET', path, { query: { ...query, limit, before } })
    pages.push(answer[field] as Item[])
    before = (answer.next_before as typeof before | null) ?? undefined
    if (before === undefined) return pages
  }
}
