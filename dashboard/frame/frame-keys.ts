import { useLayoutEffect } from 'preact/hooks'
import { freezeOrResume, settleOrAsk, copy } from '../core/actions.ts'
import { readAddress } from '../core/address.ts'
import { dialog, newPayment, share } from '../core/dialogs.ts'
import { addShortcuts, listKeys, type Shortcut } from '../core/keys.ts'
import { go, hrefOf } from '../core/route.ts'
import { pages } from '../pages.ts'

const everywhere = (): readonly Shortcut[] => [
  { keys: 'Ctrl K', what: 'Search or run', group: 'Everywhere', run: () => (dialog.value = 'palette') },
  { keys: '?', what: 'These keys', group: 'Everywhere', run: () => (dialog.value = 'keys') },
  { keys: 'n', what: 'New payment', group: 'Everywhere', run: () => newPayment() },
  {
    keys: 'y',
    what: 'Copy a link to this view',
    group: 'Everywhere',
    run: () => void copy(location.href, 'Link'),
  },
  { keys: 'S', what: 'Share this view, read-only', group: 'Everywhere', run: share },
  { keys: 'w', what: 'Another world', group: 'Everywhere', run: () => (dialog.value = 'world') },
  ...pages.map(({ id, title, key }): Shortcut => ({
    keys: `g ${key}`,
    what: title,
    group: 'Go to',
    run: () => go(hrefOf(id)),
  })),
  { keys: 'f', what: 'Freeze or resume', group: 'Clock', run: () => void freezeOrResume() },
  { keys: 'a', what: 'Advance to…', group: 'Clock', run: () => (dialog.value = 'advance') },
  { keys: 's', what: 'Settle everything pending', group: 'Clock', run: settleOrAsk },
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
