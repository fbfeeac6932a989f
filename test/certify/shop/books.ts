/** Whether the shop's list and the service's statement agree. */
import type { Shop } from './shop.ts'
import type { Order } from './store.ts'

/** A line of a statement. */
export interface Line {
  readonly reference: string
  readonly amount: number
}

type Kind = Order['kind']

/** The lines that a statement has for each kind: it dates payouts by when their money was reserved. */
const LINES: Readonly<Record<Kind, string>> = { collection: 'collection', payout: 'reserve' }

/** Whether a statement may have a line of an order. */
const mayBeListed = ({ kind, status }: Order) =>
  kind === 'payout' ? status !== 'refused' : ['paid', 'reversed'].includes(status)

/** Whether a statement has to have one. */
const mustBeListed = (order: Order) => mayBeListed(order) && order.status !== 'waiting'

/**
 * What differs between the shop's payments and a statement, each in a sentence.
 * @param statement as CSV, with a line of headings
 * @param authorization whose account it is of; all when left out
 * @param kinds what is compared
 */
export async function reconcile(
  shop: Shop,
  statement: string,
  authorization?: string,
  kinds: readonly Kind[] = ['collection', 'payout'],
): Promise<readonly string[]> {
  const all = await shop.store.read(({ orders }) =>
    [...orders.values()].filter(({ account }) => [undefined, account.authorization].includes(authorization)),
  )
  return kinds.flatMap((kind) =>
    differencesOf(
      linesOf(statement, LINES[kind]),
      all.filter((order) => order.kind === kind && mayBeListed(order)),
    ),
  )
}

function differencesOf(lines: readonly Line[], orders: readonly Order[]): readonly string[] {
  const own = new Map(orders.map((order) => [order.reference, order]))
  const seen = new Set<string>()
  const wrong = lines.flatMap(({ reference, amount }) => {
    const order = own.get(reference)
    const twice = seen.has(reference)
    seen.add(reference)
    if (!order) return [`${reference} is on the statement, and was never paid here`]
    if (twice) return [`${reference} is on the statement more than once`]
    return Math.abs(amount) === order.amount
      ? []
      : [`${reference} is ${amount} on the statement, and ${order.amount} here`]
  })
  const missing = orders.filter((order) => mustBeListed(order) && !seen.has(order.reference))
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
