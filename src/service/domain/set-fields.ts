import { mergeDeep } from '../../lib/objects.ts'
import type { CallbackShape, FieldValues } from '../vocabulary/terms.ts'

/** What fields of the flat shape are called in the nested one, within `response`. */
const nestedNames: { readonly [field: string]: string } = {
  amount: 'Amount',
  external_reference: 'ExternalReference',
  message: 'ResultDesc',
  provider_reference: 'MpesaReceiptNumber',
  reference: 'TransactionID',
}

/**
 * A body with these fields otherwise, or besides. Fields of the flat shape are set in the nested one where it tells the same,
 * so that a scenario need not know which shape a world uses.
 */
export function setFields<Body extends object>(body: Body, shape: CallbackShape, set: FieldValues): Body {
  if (shape === 'flat') return mergeDeep(body, set)
  const told: Record<string, unknown> = {}
  const response: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(set)) {
    const name = nestedNames[field]
    if (name === undefined) told[field] = value
    else response[name] = value
  }
  return mergeDeep(mergeDeep(body, { response }), told)
}
