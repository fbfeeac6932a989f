/** The pages. A new one is a file in `pages/` and a row here; navigation, keys and palette follow. */
import { failingCallbacks, prompts, rejectedRequests, waitingKyc } from './core/overview.ts'
import { clock } from './core/world-clock.ts'
import { Callbacks } from './pages/callbacks.tsx'
import { Home } from './pages/home.tsx'
import { Mailbox } from './pages/mailbox.tsx'
import { Requests } from './pages/requests.tsx'
import { Scenarios } from './pages/scenarios.tsx'
import { Transactions } from './pages/transactions.tsx'
import type { IconName } from './parts/icon.tsx'
import { atNeed } from './parts/list-states.tsx'
import type { ComponentType } from 'preact'

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

const page = (
  id: string,
  title: string,
  key: string,
  Page: ComponentType,
  badge?: PageRow['badge'],
): PageRow => ({ id, title, key, Page, ...(badge && { badge }) })

/** A page whose script is loaded when it is first shown. */
const from = <Name extends string>(
  load: () => Promise<{ readonly [name in Name]: ComponentType }>,
  name: Name,
) => atNeed(async () => (await load())[name])

const Inboxes = from(() => import('./pages/inboxes.tsx'), 'Inboxes')
const Doctor = from(() => import('./pages/doctor.tsx'), 'Doctor')
const Targets = from(() => import('./pages/targets.tsx'), 'Targets')
const Phones = from(() => import('./pages/phones.tsx'), 'Phones')
const Till = from(() => import('./pages/till.tsx'), 'Till')
const Checkouts = from(() => import('./pages/checkouts.tsx'), 'Checkouts')
const Kyc = from(() => import('./pages/kyc.tsx'), 'Kyc')
const Teams = from(() => import('./pages/teams.tsx'), 'Teams')
const Statements = from(() => import('./pages/statements.tsx'), 'Statements')
const LedgerPage = from(() => import('./pages/ledger.tsx'), 'LedgerPage')
const Incidents = from(() => import('./pages/incidents.tsx'), 'Incidents')
const ClockPage = from(() => import('./pages/time.tsx'), 'ClockPage')
const Jobs = from(() => import('./pages/time.tsx'), 'Jobs')
const Certification = from(() => import('./pages/certification.tsx'), 'Certification')
const Fidelity = from(() => import('./pages/fidelity.tsx'), 'Fidelity')
const Worlds = from(() => import('./pages/worlds.tsx'), 'Worlds')
const Keys = from(() => import('./pages/keys.tsx'), 'Keys')
const Audit = from(() => import('./pages/audit.tsx'), 'Audit')
const Process = from(() => import('./pages/process.tsx'), 'Process')

export const menu: readonly MenuEntry[] = [
  { title: 'Home', icon: 'live', pages: [page('home', 'Home', 'l', Home)] },
  {
    title: 'Payments',
    icon: 'transactions',
    pages: [page('tx', 'Payments', 't', Transactions)],
  },
  {
    title: 'Callbacks',
    icon: 'callbacks',
    pages: [
      page('callbacks', 'Callbacks', 'c', Callbacks, () => many(failingCallbacks.value, 'failing')),
      page('inbox', 'Inboxes', 'i', Inboxes),
      page('doctor', 'Signatures', 'd', Doctor),
      page('targets', 'Targets', 'v', Targets),
    ],
  },
  {
    title: 'Requests',
    icon: 'requests',
    pages: [page('requests', 'Requests', 'r', Requests, () => many(rejectedRequests.value, 'rejected'))],
  },
  {
    title: 'Customers',
    icon: 'phone',
    pages: [
      page('phone', 'Phones', 'p', Phones, () =>
        many(prompts.value, prompts.value === 1 ? 'prompt' : 'prompts'),
      ),
      page('till', 'Paybill till', 'u', Till),
      page('checkouts', 'Checkouts', 'o', Checkouts),
    ],
  },
  {
    title: 'People',
    icon: 'people',
    pages: [
      page('kyc', 'KYC', 'y', Kyc, () => many(waitingKyc.value, 'to review')),
      page('teams', 'Teams', 'e', Teams),
      page('mail', 'Mail', 'm', Mailbox),
    ],
  },
  {
    title: 'Money',
    icon: 'ledger',
    pages: [page('statements', 'Statements', 'n', Statements), page('ledger', 'Ledger', 'b', LedgerPage)],
  },
  {
    title: 'Scenarios',
    icon: 'scenarios',
    pages: [page('scenarios', 'Scenarios', 's', Scenarios), page('incidents', 'Incidents', 'f', Incidents)],
  },
  {
    title: 'Time',
    icon: 'clock',
    pages: [
      page('clock', 'Clock', 'k', ClockPage, () => (clock.value?.frozen ? 'frozen' : undefined)),
      page('jobs', 'Jobs', 'j', Jobs),
    ],
  },
  {
    title: 'Certification',
    icon: 'certification',
    pages: [
      page('certification', 'Certification', 'q', Certification),
      page('fidelity', 'Fidelity', 'z', Fidelity),
    ],
  },
  {
    title: 'Settings',
    icon: 'worlds',
    pages: [
      page('worlds', 'Worlds', 'w', Worlds),
      page('keys', 'Keys', 'a', Keys),
      page('audit', 'Audit', 'h', Audit),
      page('process', 'Process', 'x', Process),
    ],
  },
]

export const pages: readonly PageRow[] = menu.flatMap((entry) => entry.pages)

export const entryOf = (page: string): MenuEntry | undefined =>
  menu.find(({ pages }) => pages.some(({ id }) => id === page))
