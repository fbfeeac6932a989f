/** Serves requests as the service was observed to, if its overlay names the operation. */
import { isRecord } from '../lib/objects.ts'
import { ServiceError } from '../service/domain/errors.ts'
import {
  messageIn,
  type ObservedOperation,
  observedAcceptance,
  observedRejection,
  withFields,
} from '../service/vocabulary/observed.ts'
import type { Exchange } from './exchange.ts'

/** Performs a request that the sandbox rejects and the service accepts again, with fields that the sandbox accepts. */
export async function performObserved(
  exchange: Exchange,
  observed: ObservedOperation,
  perform: () => unknown,
): Promise<void> {
  let failure: unknown
  try {
    await perform()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    failure = error
  }
  const { reply, text } = exchange
  const message =
    failure instanceof Error ? failure.message : reply && 'body' in reply ? messageIn(reply.body) : ''
  const fields = message === '' ? undefined : observedAcceptance(observed, message)
  const body = fields && text !== '' ? (JSON.parse(text) as unknown) : undefined
  if (!isRecord(body)) {
    if (failure !== undefined) throw failure
    return
  }
  exchange.performAgain(JSON.stringify(withFields(body, fields!)))
  await perform()
}

/** Sets the reply if the service was observed to reject such a request. */
export async function rejectObserved(exchange: Exchange, reject: ObservedOperation['reject']): Promise<void> {
  const { body, query, path } = exchange.request
  const request = { ...query, ...path, ...body }
  await exchange.world.read((look) => {
    const isRepeated = (_: string, value: unknown) =>
      look.rows
        .find('transactions', 'identifier', String(value))
        .some(
          ({ operation, external_reference }) =>
            operation === exchange.operation && external_reference === value,
        )
    const rejection = observedRejection({ reject }, request, isRepeated)
    if (rejection) exchange.reply = rejection
  }, exchange.arrived)
}

/** Returns the observed defaults of query parameters. */
export function observedDefaults(exchange: Exchange): { readonly [name: string]: string[] } {
  const { query = {} } = exchange.observed ?? {}
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]))
}
