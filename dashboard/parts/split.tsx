import type { ComponentChildren } from 'preact'
import { hrefOf, route, thing } from '../core/route.ts'
import { Icon } from './icon.tsx'

interface Props {
  /** Label of the link back to the list. */
  readonly title: string
  readonly list: ComponentChildren
  /** The open item; without one the list takes all the space. */
  readonly detail: ComponentChildren
  /** Whether an item is open; by default determined by the address. */
  readonly open?: boolean
  /** Target of the link back; by default the page. */
  readonly back?: string
}

/** A list and its open item, side by side or one at a time. */
export const Split = ({
  title,
  list,
  detail,
  open = thing.value !== undefined,
  back = hrefOf(route.value.page, undefined, route.value.query),
}: Props) => (
  <div class={`split ${open ? 'open' : ''}`}>
    <div class="of-list">{list}</div>
    {open && (
      <aside class="of-thing" aria-label="Open item">
        <h1 class="way-back">
          <a href={back}>
            <Icon name="left" />
            {title}
          </a>
        </h1>
        {detail}
      </aside>
    )}
  </div>
)
