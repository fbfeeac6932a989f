/** Describes events for the live page. */
import { counted, money, partyOf, phone, shortUrl } from './format.ts'
import type { Happening, Transaction } from './store.ts'
import type { Tone } from './tone.ts'
import type { IconName } from './icons.ts'

export type Kind = 'payments' | 'requests' | 'callbacks' | 'money' | 'people' | 'sandbox'

export const kinds: { readonly [kind in Kind]: string } = {
  payments: 'Payments',
  requests: 'Requests',
  callbacks: 'Callbacks',
  money: 'Postings',
  people: 'People',
  sandbox: 'Sandbox',
}

/** One line of the live page. */
export interface EventDescription {
  readonly kind: Kind
  readonly icon: IconName
  readonly what: string
  readonly about: string
  readonly state: readonly [tone: Tone, text: string] | undefined
  /** The page and item that show it. */
  readonly leads: readonly [page: string, thing: string] | undefined
}

type Data = { readonly [name: string]: unknown }
type Describer = (data: Data, of: (id: number) => Transaction | undefined) => EventDescription | undefined

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value))

const nameOf = (transaction: Transaction | undefined) =>
  transaction ? transaction.external_reference || transaction.reference : ''

const titles: { readonly [status: string]: readonly [Tone, string, string] } = {
  QUEUED: ['wait', 'Payment queued', 'Payout queued'],
  SUCCESS: ['good', 'Paid', 'Paid out'],
  FAILED: ['bad', 'Payment failed', 'Payout failed'],
  REVERSED: ['info', 'Payment reversed', 'Payout reversed'],
}

const transaction: Describer = (data) => {
  const row = data as unknown as Transaction
  const [tone, payin, payout] = titles[row.status] ?? ['plain', row.status, row.status]
  const party = row.party ? `, ${partyOf(row)}` : ''
  return {
    kind: 'payments',
    icon: 'transactions',
    what: row.direction === 'payout' ? payout : payin,
    about: `${nameOf(row)}, ${money(row.amount, row.currency)}${party}`,
    state: [tone, row.reason ? row.reason.replaceAll('_', ' ') : row.status],
    leads: ['tx', nameOf(row)],
  }
}

const request: Describer = (data) => {
  const status = data['status'] as number
  const reference = text(data['reference'])
  return {
    kind: 'requests',
    icon: 'requests',
    what: `${text(data['method'])} ${text(data['path'])}`,
    about: [reference, `${text(data['duration_ms'])} ms`].filter(Boolean).join(', '),
    state: [status >= 400 ? 'bad' : 'good', String(status)],
    leads: ['requests', text(data['id'])],
  }
}

const attempt: Describer = (data) => {
  const status = data['status'] as number | null
  const good = status !== null && status >= 200 && status < 300
  return {
    kind: 'callbacks',
    icon: 'callbacks',
    what: good
      ? `Callback ${text(data['callback_id'])} delivered`
      : `Callback ${text(data['callback_id'])} rejected`,
    about: `${shortUrl(text(data['url']))}${good ? `, ${text(data['duration_ms'])} ms` : data['error'] ? `, ${text(data['error'])}` : ''}`,
    state: [good ? 'good' : 'bad', status === null || status === 0 ? 'no response' : String(status)],
    leads: ['callbacks', text(data['callback_id'])],
  }
}

/** Only failed callbacks have a line; attempts describe the others. */
const callback: Describer = (data) =>
  data['state'] === 'failed'
    ? {
        kind: 'callbacks',
        icon: 'callbacks',
        what: `Callback ${text(data['id'])} failed for good`,
        about: shortUrl(text(data['url'])),
        state: ['bad', 'failed'],
        leads: ['callbacks', text(data['id'])],
      }
    : undefined

const posting: Describer = (data, of) => {
  const lines = data['lines'] as readonly { account: string; amount: number }[]
  const own = lines.filter(({ account }) => account.startsWith('team:'))
  const shown = (own.length > 0 ? own : lines).slice(0, 2)
  const moved = shown.map(({ account, amount }) => {
    const [, team, wallet] = account.split(':')
    return `${wallet ? `${wallet.replace('_', ' ')} of ${team}` : account} ${amount > 0 ? '+' : ''}${money(amount, text(data['currency']))}`
  })
  const reference = nameOf(of(data['transaction_id'] as number))
  return {
    kind: 'money',
    icon: 'ledger',
    what: `Posted: ${text(data['kind']).replaceAll('_', ' ')}`,
    about: [reference, ...moved].filter(Boolean).join(', '),
    state: undefined,
    leads: reference ? ['tx', reference] : undefined,
  }
}

const simple =
  (
    kind: Kind,
    icon: IconName,
    what: (data: Data) => string,
    about: (data: Data) => string,
    page?: string,
    thing = 'id',
  ): Describer =>
  (data) => ({
    kind,
    icon,
    what: what(data),
    about: about(data),
    state: data['status'] === undefined ? undefined : ['info', text(data['status']).replaceAll('_', ' ')],
    leads: page ? [page, text(data[thing])] : undefined,
  })

/** The attempt that delivered a message already describes it. */
const inboxScripted = simple(
  'sandbox',
  'callbacks',
  () => 'Inbox responses changed',
  () => '',
)

const describers: { readonly [type: string]: Describer } = {
  transaction,
  request,
  attempt,
  callback,
  posting,
  kyc: simple(
    'people',
    'kyc',
    (it) => `KYC ${text(it['id'])}`,
    (it) => `Team ${text(it['account_id'])}`,
    'kyc',
  ),
  team: simple(
    'people',
    'people',
    (it) => `Team ${text(it['id'])}`,
    (it) => text(it['name']),
    'teams',
  ),
  channel: simple(
    'people',
    'people',
    (it) => `Channel ${text(it['id'])}`,
    (it) => `Team ${text(it['account_id'])}`,
    'teams',
    'account_id',
  ),
  mail: simple(
    'people',
    'mail',
    () => 'Mail',
    (it) => [text(it['subject']), text(it['to'])].filter(Boolean).join(', '),
    'mail',
  ),
  invitation: simple(
    'people',
    'mail',
    () => 'Invitation',
    (it) => text(it['email']),
    'teams',
    'account_id',
  ),
  clock: simple(
    'sandbox',
    'clock',
    (it) => (it['frozen'] ? 'The clock was frozen' : 'The clock was set'),
    (it) => (it['frozen'] || it['speed'] === 1 ? '' : `${text(it['speed'])} times as fast`),
    'clock',
  ),
  settings: simple(
    'sandbox',
    'worlds',
    () => 'Settings changed',
    (it) => (Array.isArray(it['changed']) ? it['changed'].join(', ') : ''),
    'worlds',
  ),
  scenario: simple(
    'sandbox',
    'scenarios',
    () => 'Scenarios changed',
    (it) => (Array.isArray(it['on']) && it['on'].length > 0 ? `${it['on'].join(', ')} on` : ''),
    'scenarios',
  ),
  snapshot: simple(
    'sandbox',
    'worlds',
    (it) => `Snapshot ${text(it['name'] || it['id'])}`,
    (it) => text(it['what']),
    'worlds',
  ),
  inbox: (data, of) => (data['scripts'] === undefined ? undefined : inboxScripted(data, of)),
  phone: simple(
    'payments',
    'phone',
    (it) => `Phone ${phone(text(it['number'] ?? it['id']))} changed`,
    () => '',
  ),
  prompt: simple(
    'payments',
    'phone',
    (it) => `Prompt on ${phone(text(it['party'] ?? it['phone'] ?? it['number']))}`,
    (it) => text(it['external_reference']),
  ),
}

/**
 * Describes an event.
 * @param of - finds a transaction that the event names
 * @returns undefined for events that another event covers
 */
export function describeEvent(
  happening: Happening,
  of: (id: number) => Transaction | undefined,
): EventDescription | undefined {
  const { type, data } = happening
  if (data['deleted'])
    return simple(
      'sandbox',
      'close',
      () => `${type} removed`,
      (it) => text(it['id']),
    )(data, of)
  const describe =
    describers[type] ??
    simple(
      'sandbox',
      'worlds',
      () => type.replaceAll('_', ' '),
      (it) => text(it['name'] ?? it['id']),
    )
  return describe(data, of)
}

/** A summary such as `3 new, 1 failed` for screen readers. */
export function summary(news: readonly Happening[]): string {
  const bad = news.filter(
    ({ type, data }) =>
      (type === 'transaction' && data['status'] === 'FAILED') ||
      (type === 'request' && (data['status'] as number) >= 400) ||
      (type === 'attempt' && !((data['status'] as number) >= 200 && (data['status'] as number) < 300)),
  ).length
  return `${counted(news.length, 'new event')}${bad > 0 ? `, ${bad} failed` : ''}`
}
