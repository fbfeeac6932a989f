import type { JournalEntry } from './journal.ts'

type Json = { readonly [name: string]: unknown }

/** What conditions of requests speak of; undefined where a request does not say. */
export interface RequestFacts {
  readonly [fact: string]: unknown
  readonly reference?: unknown
}

/** The facts of a request, whichever operation it met; read from what was sent. */
export function factsOf(entry: JournalEntry): RequestFacts {
  const body = asObject(parsed(entry.body))
  const payment = asObject(body['payment_config'])
  const vendor = asObject(body['vendor_config'])
  return {
    id: entry.id,
    operation: entry.operation,
    username: entry.username,
    method: entry.method,
    path: new URL(entry.url).pathname,
    status: entry.status,
    direction: directionOf(entry.operation, body),
    rail: body['transaction_channel'],
    amount: body['amount'],
    currency: body['currency'],
    country: body['country'],
    provider: body['provider'],
    party: payment['account_number'] ?? body['phone_number'] ?? body['account_number'],
    account_id: body['account_id'] ?? vendor['vendor_id'],
    channel_id: body['channel_id'] ?? vendor['channel_id'],
    reference: body['external_reference'] ?? payment['reference'],
  }
}

/** What stands at `body.customer.email`, `query.page`, `headers.x-id` or `answer.status`, or a fact by its name. */
export function valueAt(entry: JournalEntry, facts: RequestFacts, name: string): unknown {
  const [place, ...path] = name.split('.')
  if (path.length === 0) return facts[name]
  switch (place) {
    case 'body':
      return at(parsed(entry.body), path)
    case 'answer':
      return at(entry.answer, path)
    case 'query':
      return new URL(entry.url).searchParams.get(path.join('.')) ?? undefined
    case 'headers':
      return header(entry.headers, path.join('.'))
    default:
      return undefined
  }
}

function header(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]!.toLowerCase() === name.toLowerCase()) return headers[i + 1]
  return undefined
}

const at = (value: unknown, path: readonly string[]) =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

function directionOf(operation: string, body: Json): string | undefined {
  if (operation === 'createCollection') return 'payin'
  if (operation === 'createWithdrawal') return 'payout'
  if (operation !== 'createGlobalPayment') return undefined
  return body['request_type'] === 'withdrawal' ? 'payout' : 'payin'
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const asObject = (value: unknown): Json => (isObject(value) ? value : {})
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
