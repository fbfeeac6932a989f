/** The pages. A new one is a file in `pages/` and a row here; navigation, keys and palette follow. */
import type { ComponentType } from 'preact'
import { failingCallbacks, prompts, rejectedRequests, waitingKyc } from './core/overview.ts'
import { Callbacks } from './pages/callbacks.tsx'
import { ClockPage } from './pages/clock.tsx'
import { Home } from './pages/home.tsx'
import { Mailbox } from './pages/mailbox.tsx'
import { Requests } from './pages/requests.tsx'
import { Scenarios } from './pages/scenarios.tsx'
import { Transactions } from './pages/transactions.tsx'
import { atNeed } from './parts/at-need.tsx'
import { clock } from './core/world-clock.ts'
import type { IconName } from './parts/icon.tsx'

const many = (count: number, what: string) =>
  count === 0 ? undefined : `${count.toLocaleString('en')} ${what}`

export interface PageRow {
  /** The path of the page. */
  readonly id: string
  readonly title: string
  /** The key that opens the page after `g`. */
  readonly key: string
  readonly Page: ComponentType
  /** Describes what needs attention; undefined if nothing does. */
  readonly badge?: () => string | undefined
}

/** An entry of the menu. It opens its first page; tabs lead to the others. */
export interface MenuEntry {
  readonly title: string
  readonly icon: IconName
  readonly pages: readonly PageRow[]
}

/** A page whose script is loaded when it is first shown. */
const from = <Name extends string>(
  load: () => Promise<{ readonly [name in Name]: ComponentType }>,
  name: Name,
) => atNeed(async () => (await load())[name])

export const menu: readonly MenuEntry[] = [
  { title: 'Home', icon: 'live', pages: [{ id: 'home', title: 'Home', key: 'l', Page: Home }] },
  {
    title: 'Payments',
    icon: 'transactions',
    pages: [{ id: 'tx', title: 'Payments', key: 't', Page: Transactions }],
  },
  {
    title: 'Callbacks',
    icon: 'callbacks',
    pages: [
      {
        id: 'callbacks',
        title: 'Callbacks',
        key: 'c',
        Page: Callbacks,
        badge: () => many(failingCallbacks.value, 'failing'),
      },
      { id: 'inbox', title: 'Inboxes', key: 'i', Page: from(() => import('./pages/inboxes.tsx'), 'Inboxes') },
      {
        id: 'doctor',
        title: 'Signatures',
        key: 'd',
        Page: from(() => import('./pages/doctor.tsx'), 'Doctor'),
      },
      {
        id: 'targets',
        title: 'Targets',
        key: 'v',
        Page: from(() => import('./pages/targets.tsx'), 'Targets'),
      },
    ],
  },
  {
    title: 'Requests',
    icon: 'requests',
    pages: [
      {
        id: 'requests',
        title: 'Requests',
        key: 'r',
        Page: Requests,
        badge: () => many(rejectedRequests.value, 'rejected'),
      },
    ],
  },
  {
    title: 'Customers',
    icon: 'phone',
    pages: [
      {
        id: 'phone',
        title: 'Phones',
        key: 'p',
        Page: from(() => import('./pages/phones.tsx'), 'Phones'),
        badge: () => many(prompts.value, prompts.value === 1 ? 'prompt' : 'prompts'),
      },
      { id: 'till', title: 'Paybill till', key: 'u', Page: from(() => import('./pages/till.tsx'), 'Till') },
      {
        id: 'checkouts',
        title: 'Checkouts',
        key: 'o',
        Page: from(() => import('./pages/checkouts.tsx'), 'Checkouts'),
      },
    ],
  },
  {
    title: 'People',
    icon: 'people',
    pages: [
      {
        id: 'kyc',
        title: 'KYC',
        key: 'y',
        Page: from(() => import('./pages/kyc.tsx'), 'Kyc'),
        badge: () => many(waitingKyc.value, 'to review'),
      },
      { id: 'teams', title: 'Teams', key: 'e', Page: from(() => import('./pages/teams.tsx'), 'Teams') },
      { id: 'mail', title: 'Mail', key: 'm', Page: Mailbox },
    ],
  },
  {
    title: 'Money',
    icon: 'ledger',
    pages: [
      {
        id: 'statements',
        title: 'Statements',
        key: 'n',
        Page: from(() => import('./pages/statements.tsx'), 'Statements'),
      },
      {
        id: 'ledger',
        title: 'Ledger',
        key: 'b',
        Page: from(() => import('./pages/ledger.tsx'), 'LedgerPage'),
      },
    ],
  },
  {
    title: 'Scenarios',
    icon: 'scenarios',
    pages: [
      { id: 'scenarios', title: 'Scenarios', key: 's', Page: Scenarios },
      {
        id: 'incidents',
        title: 'Incidents',
        key: 'f',
        Page: from(() => import('./pages/incidents.tsx'), 'Incidents'),
      },
    ],
  },
  {
    title: 'Time',
    icon: 'clock',
    pages: [
      {
        id: 'clock',
        title: 'Clock',
        key: 'k',
        Page: ClockPage,
        badge: () => (clock.value?.frozen ? 'frozen' : undefined),
      },
      { id: 'jobs', title: 'Jobs', key: 'j', Page: from(() => import('./pages/jobs.tsx'), 'Jobs') },
    ],
  },
  {
    title: 'Certification',
    icon: 'certification',
    pages: [
      {
        id: 'certification',
        title: 'Certification',
        key: 'q',
        Page: from(() => import('./pages/certification.tsx'), 'Certification'),
      },
      {
        id: 'fidelity',
        title: 'Fidelity',
        key: 'z',
        Page: from(() => import('./pages/fidelity.tsx'), 'Fidelity'),
      },
    ],
  },
  {
    title: 'Settings',
    icon: 'worlds',
    pages: [
      { id: 'worlds', title: 'Worlds', key: 'w', Page: from(() => import('./pages/worlds.tsx'), 'Worlds') },
      { id: 'keys', title: 'Keys', key: 'a', Page: from(() => import('./pages/keys.tsx'), 'Keys') },
      { id: 'audit', title: 'Audit', key: 'h', Page: from(() => import('./pages/audit.tsx'), 'Audit') },
      {
        id: 'process',
        title: 'Process',
        key: 'x',
        Page: from(() => import('./pages/process.tsx'), 'Process'),
      },
    ],
  },
]

export const pages: readonly PageRow[] = menu.flatMap((entry) => entry.pages)

/** The menu entry that contains a page. */
export const entryOf = (page: string): MenuEntry | undefined =>
  menu.find(({ pages }) => pages.some(({ id }) => id === page))
