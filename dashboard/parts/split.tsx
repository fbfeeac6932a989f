import type { ComponentChildren } from 'preact'
import { hrefOf, route, thing } from '../core/route.ts'
import { Icon } from './icon.tsx'

interface Props {
  /** What the list is called on the way back to it. */
  readonly title: string
  readonly list: ComponentChildren
  /** What is open; the list has all the room when there is nothing. */
  readonly detail: ComponentChildren
  /** Whether something is open; what the address names when left out. */
  readonly open?: boolean
  /** Where the way back leads; to the page when left out. */
  readonly back?: string
}

/** A list, and beside it what is open; one at a time where there is no room for both. */
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
      <aside class="of-thing" aria-label="What is open">
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
