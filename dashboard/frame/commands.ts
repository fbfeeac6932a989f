/** Everything that keys and Ctrl K can do. */
import type { Callback, RecordedRequest, Team } from '../../src/client/types.ts'
import type { Scenario, Transaction } from '../../src/generated/control/types.ts'
import { advance, copy, freezeOrResume, settleOrAsk } from '../core/actions.ts'
import { readAddress } from '../core/address.ts'
import { dialog, newPayment, share } from '../core/dialogs.ts'
import { money, partyOf, phone } from '../core/format.ts'
import { digitsOf } from '../core/names.ts'
import { type Shortcut, addShortcuts, listKeys } from '../core/keys.ts'
import { go, hrefOf } from '../core/route.ts'
import { isOfPayments } from '../core/scenario-files.ts'
import { change, scenarios } from '../core/scenarios.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { clock } from '../core/world-clock.ts'
import { menu } from '../pages.ts'
import type { IconName } from '../parts/icon.tsx'
import { useLayoutEffect } from 'preact/hooks'

export interface Command {
  readonly id: string
  readonly icon: IconName
  readonly title: string
  readonly hint: string
  /** Other words that find it. */
  readonly words?: string
  readonly run: () => void
}

/** Maximum number of results per kind. */
const MOST = 5

type Key = Shortcut & { readonly icon?: IconName; readonly words?: string }

const everywhere = (): readonly Key[] => [
  { keys: 'Ctrl K', what: 'Search or run', group: 'Everywhere', run: () => (dialog.value = 'palette') },
  {
    keys: 'n',
    what: 'New payment',
    group: 'Everywhere',
    icon: 'plus',
    words: 'pay collect pay out checkout',
    run: () => newPayment(),
  },
  ...menu.flatMap(({ icon, pages }) =>
    pages.map(({ id, title, key }): Key => ({
      keys: `g ${key}`,
      what: title,
      group: 'Go to',
      icon,
      run: () => go(hrefOf(id)),
    })),
  ),
  {
    keys: 'f',
    what: clock.value?.frozen ? 'Resume the clock' : 'Freeze the clock',
    group: 'Clock',
    icon: clock.value?.frozen ? 'play' : 'pause',
    words: 'stop time',
    run: () => void freezeOrResume(),
  },
  {
    keys: 'a',
    what: 'Advance the clock…',
    group: 'Clock',
    icon: 'forward',
    words: 'jump skip time',
    run: () => (dialog.value = 'advance'),
  },
  {
    keys: 's',
    what: 'Settle everything pending',
    group: 'Clock',
    icon: 'check',
    words: 'run jobs',
    run: settleOrAsk,
  },
  {
    keys: 'y',
    what: 'Copy a link to this view',
    group: 'Everywhere',
    icon: 'copy',
    run: () => void copy(location.href, 'Link'),
  },
  { keys: 'S', what: 'Share this view, read-only…', group: 'Everywhere', icon: 'share', run: share },
  {
    keys: 'w',
    what: 'Another world…',
    group: 'Everywhere',
    icon: 'worlds',
    run: () => (dialog.value = 'world'),
  },
  {
    keys: '?',
    what: 'Keyboard shortcuts',
    group: 'Everywhere',
    icon: 'keys',
    run: () => (dialog.value = 'keys'),
  },
  {
    keys: '/',
    what: 'Search this list',
    group: 'In a list',
    run: () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(),
  },
  { keys: 'j', what: 'Down', group: 'In a list', run: () => listKeys.move?.(1) },
  { keys: 'k', what: 'Up', group: 'In a list', run: () => listKeys.move?.(-1) },
  {
    keys: 'Escape',
    what: 'Back to the list',
    group: 'In a list',
    run() {
      // The route follows a click only with the next event.
      const { page, thing } = readAddress(location.hash)
      if (thing !== undefined) go(hrefOf(page))
    },
  },
]

export function useFrameKeys(): void {
  useLayoutEffect(() => addShortcuts(everywhere()), [])
}

/** Returns the commands that contain all typed words, and those that the text itself names. */
export function commandsFor(typed: string): readonly Command[] {
  const doings = everywhere().flatMap(({ keys, what, icon, words, run }): readonly Command[] =>
    icon
      ? [{ id: `key ${keys}`, icon, title: what, hint: keys, ...(words !== undefined && { words }), run }]
      : [],
  )
  const fixed: readonly Command[] = [
    ...doings,
    ...leaps.map(([by, title]) => leap(by, title)),
    {
      id: 'docs',
      icon: 'docs',
      title: 'API reference',
      hint: '',
      run: () => location.assign(`${settings.at}/docs`),
    },
  ]
  return [...leapIn(typed), ...dialled(typed), ...fixed.filter(fits(typed))]
}

/** Returns the outcomes that the next payment may get, those whose title matches first. */
export function outcomesFor(typed: string): readonly Command[] {
  if (typed.trim() === '') return []
  const inTitle = ({ title }: Command) => fits(typed)({ title })
  return scenarios.value
    .filter(isOfPayments)
    .map(nextPayment)
    .filter(fits(typed))
    .toSorted((one, other) => Number(inTitle(other)) - Number(inTitle(one)))
    .slice(0, /^next/i.test(typed.trim()) ? undefined : MOST)
}

function fits(typed: string): (command: Pick<Command, 'title' | 'words'>) => boolean {
  const wanted = typed
    .toLowerCase()
    .split(/[\s:]+/)
    .filter(Boolean)
  return ({ title, words = '' }) => wanted.every((word) => `${title} ${words}`.toLowerCase().includes(word))
}

const leaps = [
  ['1h', 'an hour'],
  ['1d', 'a day'],
  ['7d', 'a week'],
] as const

const leap = (by: string, title = by): Command => ({
  id: `advance ${by}`,
  icon: 'forward',
  title: `Advance the clock by ${title}`,
  hint: by,
  words: 'jump skip',
  run: () => void advance(by),
})

/** A typed duration, such as `jump 3 days` or `90m`. */
function leapIn(typed: string): readonly Command[] {
  const [, many, unit] =
    /^(?:(?:jump|advance|skip)\s+)?(?:by\s+)?(\d{1,5})\s*(s|m|h|d)[a-z]*$/i.exec(typed.trim()) ?? []
  return many && unit ? [leap(`${many}${unit.toLowerCase()}`)] : []
}

/** A phone number as dialled or displayed. */
function dialled(typed: string): readonly Command[] {
  if (!/^\+?[\d\s()-]{9,20}$/.test(typed.trim())) return []
  const number = digitsOf(typed)
  return /^\d{9,15}$/.test(number)
    ? [
        {
          id: 'phone',
          icon: 'phone',
          title: phone(number),
          hint: 'open this phone',
          run: () => go(hrefOf('phone', number)),
        },
      ]
    : []
}

const nextPayment = ({ name, title, outcome }: Scenario): Command => ({
  id: `next ${name}`,
  icon: 'scenarios',
  title: `Next payment: ${title}`,
  hint: outcome,
  words: name.replaceAll('-', ' '),
  run: () => void change((client) => client.scenarios.next(name), `Next payment: ${title}.`),
})

export async function searchFor(search: string): Promise<readonly Command[]> {
  const { transport } = session.peek()!
  const read = async <Row>(of: string, command: (row: Row) => Command): Promise<readonly Command[]> => {
    const query = { search, limit: MOST }
    const found = await transport
      .ask<{ readonly [rows: string]: readonly Row[] }>('GET', `/sandbox/${of}`, { query })
      .catch(() => ({}) as { readonly [rows: string]: readonly Row[] })
    return (found[of] ?? []).map(command)
  }
  const found = await Promise.all([
    read<Transaction>('transactions', (it) => {
      const name = it.external_reference || it.reference
      return {
        id: `tx ${it.id}`,
        icon: 'transactions',
        title: name,
        hint: `${money(it.amount.amount, it.amount.currency)}, ${partyOf(it)}, ${it.status}`,
        run: () => go(hrefOf('tx', name)),
      }
    }),
    read<Team>('teams', ({ id, name }) => ({
      id: `team ${id}`,
      icon: 'people',
      title: name,
      hint: `Team ${id}`,
      run: () => go(hrefOf('teams', id)),
    })),
    read<Callback>('callbacks', (it) => ({
      id: `callback ${it.id}`,
      icon: 'callbacks',
      title: `Callback ${it.id}`,
      hint: `${it.external_reference || it.transaction}, ${it.state}`,
      run: () => go(hrefOf('callbacks', it.id)),
    })),
    read<RecordedRequest>('requests', ({ id, method, path, status }) => ({
      id: `request ${id}`,
      icon: 'requests',
      title: id,
      hint: `${method} ${path}, ${status ?? 'open'}`,
      run: () => go(hrefOf('requests', id)),
    })),
  ])
  return found.flat()
}
