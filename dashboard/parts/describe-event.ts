/** Describes the events that are no part of a payment. */
import { counted, phone } from '../core/format.ts'
import type { Tone } from '../core/names.ts'
import type { Happening } from '../core/store.ts'
import type { IconName } from './icon.tsx'

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

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value))

function request(data: Data): EventDescription | undefined {
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

/** An icon, what happened, more about it, and the page with the field that names its item. */
type Row = readonly [
  icon: IconName,
  what: string | ((data: Data) => string),
  about: (data: Data) => string,
  page?: string,
  item?: string,
]

const described = ([icon, what, about, page, item = 'id']: Row, data: Data): EventDescription => ({
  icon,
  what: typeof what === 'string' ? what : what(data),
  about: about(data),
  state: data['status'] === undefined ? undefined : ['info', text(data['status']).replaceAll('_', ' ')],
  leads: page ? [page, text(data[item])] : undefined,
})

const nothing = () => ''
const joined = (value: unknown) => (Array.isArray(value) ? value.join(', ') : '')
const team = (it: Data) => `Team ${text(it['account_id'])}`
const numbered = (title: string) => (it: Data) => `${title} ${text(it['id'])}`

const rows: { readonly [type: string]: Row } = {
  kyc: ['kyc', numbered('KYC'), team, 'kyc'],
  team: ['people', numbered('Team'), (it) => text(it['name']), 'teams'],
  channel: ['people', numbered('Channel'), team, 'teams', 'account_id'],
  mail: ['mail', 'Mail', (it) => [text(it['subject']), text(it['to'])].filter(Boolean).join(', '), 'mail'],
  invitation: ['mail', 'Invitation', (it) => text(it['email']), 'teams', 'account_id'],
  clock: [
    'clock',
    (it) => (it['frozen'] ? 'The clock was frozen' : 'The clock was set'),
    (it) => (it['frozen'] || it['speed'] === 1 ? '' : `${text(it['speed'])} times as fast`),
    'clock',
  ],
  settings: ['worlds', 'Settings changed', (it) => joined(it['changed']), 'worlds'],
  scenario: [
    'scenarios',
    'Scenarios changed',
    (it) => (joined(it['on']) ? `${joined(it['on'])} on` : ''),
    'scenarios',
  ],
  snapshot: [
    'worlds',
    (it) => `Snapshot ${text(it['name'] || it['id'])}`,
    (it) => text(it['what']),
    'worlds',
  ],
  inbox: ['callbacks', 'Inbox responses changed', nothing],
  phone: ['phone', (it) => `Phone ${phone(text(it['number'] ?? it['id']))} changed`, nothing],
}

/** Events that the line of their payment covers. */
const covered = new Set(['transaction', 'attempt', 'callback', 'posting', 'prompt'])

/** Describes an event; undefined if another line covers it. */
export function describeEvent({ type, data }: Happening): EventDescription | undefined {
  if (covered.has(type)) return undefined
  if (data['deleted']) return described(['close', `${type} removed`, (it) => text(it['id'])], data)
  if (type === 'request') return request(data)
  // The attempt that delivered a message already describes it.
  if (type === 'inbox' && data['scripts'] === undefined) return undefined
  const other: Row = ['worlds', type.replaceAll('_', ' '), (it) => text(it['name'] ?? it['id'])]
  return described(rows[type] ?? other, data)
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
