import { signal } from '@preact/signals'
import { settings } from '../core/settings.ts'
import { hrefOf, page } from '../core/route.ts'
import { entryOf, menu, type MenuEntry } from '../pages.ts'
import { Icon } from '../parts/icon.tsx'

/** Whether the menu is open on narrow screens. */
export const menuOpen = signal(false)

export function Nav() {
  const close = () => (menuOpen.value = false)
  return (
    <>
      {menuOpen.value && <div class="shade" onClick={close} />}
      <nav id="pages" class={menuOpen.value ? 'open' : ''} aria-label="Pages">
        {menu.map((entry) => (
          <Entry key={entry.title} of={entry} close={close} />
        ))}
        <div role="group" aria-label="Elsewhere" class="last">
          <a href={`${settings.at}/docs`}>
            <Icon name="docs" />
            API reference
          </a>
          <a href={`${settings.at}/docs/guides`}>
            <Icon name="docs" />
            Guides
          </a>
        </div>
      </nav>
    </>
  )
}

function Entry({ of, close }: { of: MenuEntry; close: () => void }) {
  const badge = of.pages.map((each) => each.badge?.()).find((each) => each !== undefined)
  return (
    <a
      href={hrefOf(of.pages[0]!.id)}
      aria-current={entryOf(page.value) === of ? 'page' : undefined}
      onClick={close}
    >
      <Icon name={of.icon} />
      {of.title}
      {badge && <span class="n num">{badge}</span>}
    </a>
  )
}

/** The pages of the current menu entry. */
export function Tabs() {
  const pages = entryOf(page.value)?.pages ?? []
  if (pages.length < 2) return null
  return (
    <nav class="tabs" aria-label={entryOf(page.value)!.title}>
      {pages.map(({ id, title, badge }) => {
        const hint = badge?.()
        return (
          <a key={id} href={hrefOf(id)} aria-current={page.value === id ? 'page' : undefined}>
            {title}
            {hint && <span class="n num">{hint}</span>}
          </a>
        )
      })}
    </nav>
  )
}
