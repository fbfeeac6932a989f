/** Whether the shop's list and the service's statement agree. */
import type { Shop } from './shop.ts'

/** A line of a statement. */
export interface Line {
  readonly reference: string
  readonly amount: number
}

/**
 * What differs between the shop's payments and a statement, each in a sentence.
 * @param statement as CSV, with a line of headings
 * @param authorization whose account it is of; all when left out
 */
export async function reconcile(
  shop: Shop,
  statement: string,
  authorization?: string,
): Promise<readonly string[]> {
  const lines = linesOf(statement, 'collection')
  const paid = await shop.store.read(({ orders }) =>
    [...orders.values()].filter(
      ({ kind, status, account }) =>
        kind === 'collection' &&
        ['paid', 'reversed'].includes(status) &&
        [undefined, account.authorization].includes(authorization),
    ),
  )
  const own = new Map(paid.map((order) => [order.reference, order]))
  const seen = new Set<string>()
  const wrong = lines.flatMap(({ reference, amount }) => {
    const order = own.get(reference)
    const twice = seen.has(reference)
    seen.add(reference)
    if (!order) return [`${reference} is on the statement, and was never paid here`]
    if (twice) return [`${reference} is on the statement more than once`]
    return amount === order.amount
      ? []
      : [`${reference} is ${amount} on the statement, and ${order.amount} here`]
  })
  const missing = paid.filter(({ reference }) => !seen.has(reference))
  return [...wrong, ...missing.map(({ reference }) => `${reference} was paid, and is not on the statement`)]
}

export function linesOf(csv: string, kind: string): Line[] {
  const [headings = [], ...rows] = csv.trim().split(/\r?\n/).map(cellsOf)
  const at = (name: string) => headings.indexOf(name)
  return rows
    .filter((row) => row[at('kind')] === kind)
    .map((row) => ({ reference: row[at('external_reference')] ?? '', amount: Number(row[at('amount')]) }))
}

const cellsOf = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
  )
