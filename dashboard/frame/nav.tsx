import { signal } from '@preact/signals'
import { settings } from '../core/settings.ts'
import { hrefOf, page } from '../core/route.ts'
import { pages, type PageRow } from '../pages.ts'
import { Icon } from '../parts/icon.tsx'

/** Whether the menu is open on narrow screens. */
export const menuOpen = signal(false)

export function Nav() {
  const groups = [...new Set(pages.map(({ group }) => group))]
  const close = () => (menuOpen.value = false)
  return (
    <>
      {menuOpen.value && <div class="shade" onClick={close} />}
      <nav id="pages" class={menuOpen.value ? 'open' : ''} aria-label="Pages">
        {groups.map((group, n) => (
          <div key={group} role="group" aria-label={group}>
            {n > 0 && <p aria-hidden="true">{group}</p>}
            {pages
              .filter((row) => row.group === group)
              .map((row) => (
                <Row key={row.id} row={row} close={close} />
              ))}
          </div>
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

function Row({ row: { id, icon, title, count }, close }: { row: PageRow; close: () => void }) {
  const hint = count?.()
  return (
    <a href={hrefOf(id)} aria-current={page.value === id ? 'page' : undefined} onClick={close}>
      <Icon name={icon} />
      {title}
      {hint && <span class="n num">{hint}</span>}
    </a>
  )
}
