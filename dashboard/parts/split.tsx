import type { ComponentChildren } from 'preact'
import { hrefOf, route, thing } from '../core/route.ts'
import { Icon } from './icon.tsx'

interface Props {
  /** What the list is called on the way back to it. */
  readonly title: string
  readonly list: ComponentChildren
  /** What is open; the list has all the room when there is nothing. */
  readonly detail: ComponentChildren
}

/** A list, and beside it what is open; one at a time where there is no room for both. */
export const Split = ({ title, list, detail }: Props) => (
  <div class={`split ${thing.value === undefined ? '' : 'open'}`}>
    <div class="of-list">{list}</div>
    {thing.value !== undefined && (
      <aside class="of-thing" aria-label="What is open">
        <h1 class="way-back">
          <a href={hrefOf(route.value.page, undefined, route.value.query)}>
            <Icon name="left" />
            {title}
          </a>
        </h1>
        {detail}
      </aside>
    )}
  </div>
)
