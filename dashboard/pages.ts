/** The pages. A new one is a file in `pages/` and a row here; navigation, keys and palette follow. */
import type { ComponentType } from 'preact'
import { failing, prompted, requests, transactions } from './core/store.ts'
import { Callbacks } from './pages/callbacks.tsx'
import { ClockPage } from './pages/clock.tsx'
import { LedgerPage } from './pages/ledger.tsx'
import { Live } from './pages/live.tsx'
import { Mailbox } from './pages/mailbox.tsx'
import { Requests } from './pages/requests.tsx'
import { Scenarios } from './pages/scenarios.tsx'
import { Transactions } from './pages/transactions.tsx'
import { counted } from './core/format.ts'
import { atNeed } from './parts/at-need.tsx'
import { clock } from './core/world-clock.ts'
import type { IconName } from './parts/icon.tsx'

const Worlds = atNeed(async () => (await import('./pages/worlds.tsx')).Worlds)
const Process = atNeed(async () => (await import('./pages/process.tsx')).Process)

export interface PageRow {
  /** The path of the page. */
  readonly id: string
  readonly title: string
  readonly group: 'Activity' | 'People and money' | 'Sandbox'
  readonly icon: IconName
  /** The key that opens the page after `g`. */
  readonly key: string
  readonly Page: ComponentType
  /** Shown next to the page's name. */
  readonly count?: () => string | undefined
}

const many = (count: number) => (count === 0 ? undefined : count.toLocaleString('en'))

export const pages: readonly PageRow[] = [
  { id: 'live', title: 'Live', group: 'Activity', icon: 'live', key: 'l', Page: Live },
  {
    id: 'tx',
    title: 'Transactions',
    group: 'Activity',
    icon: 'transactions',
    key: 't',
    Page: Transactions,
    count: () => many(transactions.value.length),
  },
  {
    id: 'callbacks',
    title: 'Callbacks',
    group: 'Activity',
    icon: 'callbacks',
    key: 'c',
    Page: Callbacks,
    count: () => (failing.value > 0 ? `${failing.value} failing` : undefined),
  },
  {
    id: 'requests',
    title: 'Requests',
    group: 'Activity',
    icon: 'requests',
    key: 'r',
    Page: Requests,
    count: () => many(requests.items.value.length),
  },
  {
    id: 'inbox',
    title: 'Inboxes',
    group: 'Activity',
    icon: 'inbox',
    key: 'i',
    Page: atNeed(async () => (await import('./pages/inboxes.tsx')).Inboxes),
  },
  {
    id: 'doctor',
    title: 'Signatures',
    group: 'Activity',
    icon: 'doctor',
    key: 'd',
    Page: atNeed(async () => (await import('./pages/doctor.tsx')).Doctor),
  },
  {
    id: 'targets',
    title: 'Callback targets',
    group: 'Activity',
    icon: 'targets',
    key: 'v',
    Page: atNeed(async () => (await import('./pages/targets.tsx')).Targets),
  },
  {
    id: 'certification',
    title: 'Certification',
    group: 'Activity',
    icon: 'certification',
    key: 'q',
    Page: atNeed(async () => (await import('./pages/certification.tsx')).Certification),
  },
  {
    id: 'phone',
    title: 'Phones',
    group: 'People and money',
    icon: 'phone',
    key: 'p',
    Page: atNeed(async () => (await import('./pages/phones.tsx')).Phones),
    count: () => (prompted.value.length > 0 ? counted(prompted.value.length, 'prompt') : undefined),
  },
  {
    id: 'till',
    title: 'Paybill till',
    group: 'People and money',
    icon: 'till',
    key: 'u',
    Page: atNeed(async () => (await import('./pages/till.tsx')).Till),
  },
  {
    id: 'checkouts',
    title: 'Checkouts',
    group: 'People and money',
    icon: 'checkout',
    key: 'o',
    Page: atNeed(async () => (await import('./pages/checkouts.tsx')).Checkouts),
  },
  {
    id: 'kyc',
    title: 'KYC desk',
    group: 'People and money',
    icon: 'kyc',
    key: 'y',
    Page: atNeed(async () => (await import('./pages/kyc.tsx')).Kyc),
  },
  { id: 'mail', title: 'Mailbox', group: 'People and money', icon: 'mail', key: 'm', Page: Mailbox },
  {
    id: 'teams',
    title: 'Teams',
    group: 'People and money',
    icon: 'people',
    key: 'e',
    Page: atNeed(async () => (await import('./pages/teams.tsx')).Teams),
  },
  {
    id: 'statements',
    title: 'Statements',
    group: 'People and money',
    icon: 'statement',
    key: 'n',
    Page: atNeed(async () => (await import('./pages/statements.tsx')).Statements),
  },
  { id: 'ledger', title: 'Ledger', group: 'People and money', icon: 'ledger', key: 'b', Page: LedgerPage },
  {
    id: 'scenarios',
    title: 'Scenarios',
    group: 'Sandbox',
    icon: 'scenarios',
    key: 's',
    Page: Scenarios,
  },
  {
    id: 'incidents',
    title: 'Incidents',
    group: 'Sandbox',
    icon: 'warn',
    key: 'f',
    Page: atNeed(async () => (await import('./pages/incidents.tsx')).Incidents),
  },
  {
    id: 'clock',
    title: 'Clock',
    group: 'Sandbox',
    icon: 'clock',
    key: 'k',
    Page: ClockPage,
    count: () => (clock.value?.frozen ? 'frozen' : undefined),
  },
  {
    id: 'keys',
    title: 'Keys',
    group: 'Sandbox',
    icon: 'keys',
    key: 'a',
    Page: atNeed(async () => (await import('./pages/keys.tsx')).Keys),
  },
  {
    id: 'audit',
    title: 'Audit',
    group: 'Sandbox',
    icon: 'audit',
    key: 'h',
    Page: atNeed(async () => (await import('./pages/audit.tsx')).Audit),
  },
  {
    id: 'jobs',
    title: 'Jobs',
    group: 'Sandbox',
    icon: 'jobs',
    key: 'j',
    Page: atNeed(async () => (await import('./pages/jobs.tsx')).Jobs),
    count: () => many(clock.value?.scheduled ?? 0),
  },
  { id: 'worlds', title: 'Worlds', group: 'Sandbox', icon: 'worlds', key: 'w', Page: Worlds },
  { id: 'process', title: 'Process', group: 'Sandbox', icon: 'process', key: 'x', Page: Process },
]
