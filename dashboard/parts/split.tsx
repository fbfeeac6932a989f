import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { hrefOf, route, thing } from '../core/route.ts'
import { keptInWindow } from '../core/storage.ts'
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

/** Share of the space that the open item takes, in percent. */
const kept = keptInWindow('split', 50)
const share = signal(kept.get())
const [LEAST, MOST] = [30, 70]

function resize(percent: number): void {
  share.value = Math.round(Math.min(MOST, Math.max(LEAST, percent)))
  kept.set(share.value)
}

/** A list and its open item, side by side or one at a time. */
export const Split = ({
  title,
  list,
  detail,
  open = thing.value !== undefined,
  back = hrefOf(route.value.page, undefined, route.value.query),
}: Props) => (
  <div
    class={`split ${open ? 'open' : ''}`}
    style={open ? { '--share': `${share.value}fr`, '--rest': `${100 - share.value}fr` } : {}}
  >
    <div class="of-list">{list}</div>
    {open && <Separator />}
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

/** Moved by the mouse, or by the arrow keys. */
const Separator = () => (
  <div
    class="separator"
    role="separator"
    tabIndex={0}
    aria-label="Width of the open item"
    aria-orientation="vertical"
    aria-valuemin={LEAST}
    aria-valuemax={MOST}
    aria-valuenow={share.value}
    onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
    onPointerMove={({ currentTarget, pointerId, clientX }) => {
      if (!currentTarget.hasPointerCapture(pointerId)) return
      const { left, width } = currentTarget.parentElement!.getBoundingClientRect()
      resize(100 - ((clientX - left) / width) * 100)
    }}
    onDblClick={() => resize(50)}
    onKeyDown={(event) => {
      const by = { ArrowLeft: 5, ArrowRight: -5 }[event.key]
      if (by === undefined) return
      event.preventDefault()
      resize(share.value + by)
    }}
  />
)
