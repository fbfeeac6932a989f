/** Describes the events that are no part of a payment. */
import { counted, phone } from './format.ts'
import type { Happening } from './store.ts'
import type { Tone } from './tone.ts'
import type { IconName } from './icons.ts'

/** One line of the activity. */
export interface EventDescription {
  readonly icon: IconName
  readonly what: string
  readonly about: string
  readonly state: readonly [tone: Tone, text: string] | undefined
  /** The page and item that show it. */
  readonly leads: readonly [page: string, thing: string] | undefined
}

type Data = { readonly [name: string]: unknown }
type Describer = (data: Data) => EventDescription | undefined

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value))

const request: Describer = (data) => {
  const status = data['status'] as number
  if (status < 400) return undefined
  const reference = text(data['reference'])
  return {
    icon: 'requests',
    what: `${text(data['method'])} ${text(data['path'])}`,
    about: [reference, `${text(data['duration_ms'])} ms`].filter(Boolean).join(', '),
    state: ['bad', String(status)],
    leads: ['requests', text(data['id'])],
  }
}

const simple =
  (
    icon: IconName,
    what: (data: Data) => string,
    about: (data: Data) => string,
    page?: string,
    thing = 'id',
  ): Describer =>
  (data) => ({
    icon,
    what: what(data),
    about: about(data),
    state: data['status'] === undefined ? undefined : ['info', text(data['status']).replaceAll('_', ' ')],
    leads: page ? [page, text(data[thing])] : undefined,
  })

/** The attempt that delivered a message already describes it. */
const inboxScripted = simple(
  'callbacks',
  () => 'Inbox responses changed',
  () => '',
)

const describers: { readonly [type: string]: Describer } = {
  request,
  kyc: simple(
    'kyc',
    (it) => `KYC ${text(it['id'])}`,
    (it) => `Team ${text(it['account_id'])}`,
    'kyc',
  ),
  team: simple(
    'people',
    (it) => `Team ${text(it['id'])}`,
    (it) => text(it['name']),
    'teams',
  ),
  channel: simple(
    'people',
    (it) => `Channel ${text(it['id'])}`,
    (it) => `Team ${text(it['account_id'])}`,
    'teams',
    'account_id',
  ),
  mail: simple(
    'mail',
    () => 'Mail',
    (it) => [text(it['subject']), text(it['to'])].filter(Boolean).join(', '),
    'mail',
  ),
  invitation: simple(
    'mail',
    () => 'Invitation',
    (it) => text(it['email']),
    'teams',
    'account_id',
  ),
  clock: simple(
    'clock',
    (it) => (it['frozen'] ? 'The clock was frozen' : 'The clock was set'),
    (it) => (it['frozen'] || it['speed'] === 1 ? '' : `${text(it['speed'])} times as fast`),
    'clock',
  ),
  settings: simple(
    'worlds',
    () => 'Settings changed',
    (it) => (Array.isArray(it['changed']) ? it['changed'].join(', ') : ''),
    'worlds',
  ),
  scenario: simple(
    'scenarios',
    () => 'Scenarios changed',
    (it) => (Array.isArray(it['on']) && it['on'].length > 0 ? `${it['on'].join(', ')} on` : ''),
    'scenarios',
  ),
  snapshot: simple(
    'worlds',
    (it) => `Snapshot ${text(it['name'] || it['id'])}`,
    (it) => text(it['what']),
    'worlds',
  ),
  inbox: (data) => (data['scripts'] === undefined ? undefined : inboxScripted(data)),
  phone: simple(
    'phone',
    (it) => `Phone ${phone(text(it['number'] ?? it['id']))} changed`,
    () => '',
  ),
}

/** Events that the line of their payment covers. */
const covered = new Set(['transaction', 'attempt', 'callback', 'posting', 'prompt'])

/** Describes an event; undefined if another line covers it. */
export function describeEvent({ type, data }: Happening): EventDescription | undefined {
  if (covered.has(type)) return undefined
  if (data['deleted'])
    return simple(
      'close',
      () => `${type} removed`,
      (it) => text(it['id']),
    )(data)
  const describe =
    describers[type] ??
    simple(
      'worlds',
      () => type.replaceAll('_', ' '),
      (it) => text(it['name'] ?? it['id']),
    )
  return describe(data)
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
