import { freezeOrResume, settleOrAsk, copy } from '../core/actions.ts'
import { dialog, newPayment, share } from '../core/dialogs.ts'
import { money, phone } from '../core/format.ts'
import { go, hrefOf } from '../core/route.ts'
import { settings } from '../core/settings.ts'
import { callbacks, requests, transactions } from '../core/store.ts'
import { clock } from '../core/world-clock.ts'
import { menu } from '../pages.ts'
import type { IconName } from '../parts/icon.tsx'

export interface Command {
  readonly id: string
  readonly icon: IconName
  readonly title: string
  readonly hint: string
  readonly run: () => void
}

/** Maximum number of results per kind. */
const MOST = 5

/** Returns matching commands, the best match first. */
export function commandsFor(typed: string): readonly Command[] {
  const wanted = typed.trim().toLowerCase()
  const fits = ({ title }: Command) => title.toLowerCase().includes(wanted)
  return [
    ...(wanted === '' ? [] : found(wanted)),
    ...places().filter(fits),
    ...doings().filter(fits),
    ...statusQuery(typed.trim()),
  ]
}

const places = (): readonly Command[] =>
  menu.flatMap(({ icon, pages }) =>
    pages.map(({ id, title, key }) => ({
      id: `page ${id}`,
      icon,
      title,
      hint: `g ${key}`,
      run: () => go(hrefOf(id)),
    })),
  )

const doings = (): readonly Command[] => [
  { id: 'new', icon: 'plus', title: 'New payment', hint: 'n', run: () => newPayment() },
  {
    id: 'freeze',
    icon: clock.value?.frozen ? 'play' : 'pause',
    title: clock.value?.frozen ? 'Resume the clock' : 'Freeze the clock',
    hint: 'f',
    run: () => void freezeOrResume(),
  },
  {
    id: 'advance',
    icon: 'forward',
    title: 'Advance the clock…',
    hint: 'a',
    run: () => (dialog.value = 'advance'),
  },
  { id: 'settle', icon: 'check', title: 'Settle everything pending', hint: 's', run: settleOrAsk },
  {
    id: 'link',
    icon: 'copy',
    title: 'Copy a link to this view',
    hint: 'y',
    run: () => void copy(location.href, 'Link'),
  },
  { id: 'share', icon: 'share', title: 'Share this view, read-only…', hint: 'S', run: share },
  { id: 'world', icon: 'worlds', title: 'Another world…', hint: 'w', run: () => (dialog.value = 'world') },
  {
    id: 'keys',
    icon: 'keys',
    title: 'Keyboard shortcuts',
    hint: '?',
    run: () => (dialog.value = 'keys'),
  },
  {
    id: 'docs',
    icon: 'docs',
    title: 'API reference',
    hint: '',
    run: () => location.assign(`${settings.at}/docs`),
  },
]

/** Searches the loaded transactions, requests and callbacks. */
function found(wanted: string): readonly Command[] {
  const has = (...texts: readonly (string | null | undefined)[]) =>
    texts.some((text) => text?.toLowerCase().includes(wanted))
  const paid = transactions.value
    .filter((it) =>
      has(it.external_reference, it.reference, it.provider_reference, it.checkout_request_id, it.party),
    )
    .slice(0, MOST)
    .map((it): Command => {
      const name = it.external_reference || it.reference
      return {
        id: `tx ${it.id}`,
        icon: 'transactions',
        title: name,
        hint: `${money(it.amount, it.currency)}, ${phone(it.party)}, ${it.status}`,
        run: () => go(hrefOf('tx', name)),
      }
    })
  const asked = requests.items.value
    .filter((it) => has(it.id, it.path, it.operation))
    .slice(0, MOST)
    .map((it): Command => ({
      id: `request ${it.id}`,
      icon: 'requests',
      title: it.id,
      hint: `${it.method} ${it.path}, ${it.status}`,
      run: () => go(hrefOf('requests', it.id)),
    }))
  const called = callbacks.items.value
    .filter((it) => has(`callback ${it.id}`, it.event_id, it.external_reference))
    .slice(0, MOST)
    .map((it): Command => ({
      id: `callback ${it.id}`,
      icon: 'callbacks',
      title: `Callback ${it.id}`,
      hint: `${it.external_reference || it.transaction}, ${it.state}`,
      run: () => go(hrefOf('callbacks', it.id)),
    }))
  return [...paid, ...called, ...asked]
}

/** The sandbox may know an id that is not loaded here. */
function statusQuery(typed: string): readonly Command[] {
  if (!/^\S{2,}$/.test(typed)) return []
  const at = (page: string, thing: string, title: string, icon: IconName): Command => ({
    id: `look ${page}`,
    icon,
    title,
    hint: 'search the sandbox',
    run: () => go(hrefOf(page, thing)),
  })
  return /^req_\d+$/.test(typed)
    ? [at('requests', typed, `Request ${typed}`, 'requests')]
    : [at('tx', typed, `Transaction ${typed}`, 'transactions')]
}
