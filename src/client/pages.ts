import type { Ask, Transport } from './transport.ts'

/** The page after an answer; undefined at the end. */
function nextOf({
  next_before: before,
  next_after: after,
}: Record<string, unknown>): { readonly before?: string | number; readonly after?: string } | undefined {
  if (typeof before === 'number' || typeof before === 'string') return { before }
  return typeof after === 'string' ? { after } : undefined
}

/**
 * All pages of a list, in its order.
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
  let next: ReturnType<typeof nextOf> = {}
  for (;;) {
    const answer = await ask<Record<string, unknown>>('GET', path, { query: { ...query, limit, ...next } })
    pages.push(answer[field] as Item[])
    next = nextOf(answer)
    if (!next) return pages
  }
}
