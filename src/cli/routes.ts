import { InvalidArgumentError } from 'commander'
import type { Transaction, TransactionDetails } from '../generated/control/types.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { askForOne, type Target } from './client.ts'
import { localUrl, type SentCallback } from './forward.ts'
import { readAddress } from './options.ts'

/** Callbacks of a path, or of payments that an operation made, and the local server that they go to. */
export interface Route {
  /** `/hooks/pay`, or with `*` at its end all that begin so. */
  readonly path?: string
  readonly operation?: string
  readonly to: string
}

/** What makes payments, and so callbacks. */
const paying: readonly string[] = [
  'createCollection',
  'createWithdrawal',
  'createGlobalPayment',
  'topUpServiceWallet',
] satisfies readonly Transaction['operation'][]

/** Adds `/hooks/payouts=http://localhost:3001`, or an operation in the place of the path, to the routes before it. */
export function readRoute(text: string, before: readonly Route[] = []): readonly Route[] {
  const [, what = '', to] = /^([^=]+)=([^]+)$/.exec(text) ?? []
  if (to === undefined)
    throw new InvalidArgumentError(
      'Accepted: a path or an operation and an address, such as /hooks/payouts=http://localhost:3001.',
    )
  if (what.startsWith('/')) return [...before, { path: what, to: readAddress(to) }]
  if (!paying.includes(what))
    throw new InvalidArgumentError(
      `No operation ${what} makes payments${didYouMean(what, paying)}. Accepted: ${paying.join(', ')}, or a path that begins with /.`,
    )
  return [...before, { operation: what, to: readAddress(to) }]
}

/** Where a callback goes: by the first route that fits, else to `forwardTo`. @returns undefined when it goes nowhere */
export type Way = (sent: SentCallback, transaction: string) => Promise<URL | undefined>

export function wayBy(target: Target, routes: readonly Route[], forwardTo: string | undefined): Way {
  const byOperation = routes.some(({ operation }) => operation !== undefined)
  return async (sent, transaction) => {
    const { pathname } = new URL(sent.url)
    const operation = byOperation ? await operationOf(target, transaction) : undefined
    const route = routes.find(
      (each) =>
        (each.path !== undefined && isAt(pathname, each.path)) ||
        (each.operation !== undefined && each.operation === operation),
    )
    const to = route?.to ?? forwardTo
    return to === undefined ? undefined : localUrl(to, sent)
  }
}

const isAt = (pathname: string, path: string) =>
  path.endsWith('*') ? pathname.startsWith(path.slice(0, -1)) : pathname === path

const operationOf = async (target: Target, transaction: string) =>
  (await askForOne<TransactionDetails>(target, `/sandbox/transactions/${encodeURIComponent(transaction)}`))
    ?.transaction.operation
