import { advance, freezeOrResume, settleOrAsk } from '../core/actions.ts'
import { writeAddress } from '../core/address.ts'
import { dialog, share } from '../core/dialogs.ts'
import { dayOf, timeOf } from '../core/format.ts'
import { go, hrefOf, page, route } from '../core/route.ts'
import { gone, knownWorlds, session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { connection } from '../core/store.ts'
import { lasting } from '../core/times.ts'
import { ahead, clock, worldNow } from '../core/world-clock.ts'
import { type MenuEntry, entryOf, menu } from '../pages.ts'
import { Button, Key, Pill } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

const words = { connecting: 'connecting', live: 'live', broken: 'not connected' } as const

export const Top = () => (
  <header class="top">
    <button
      type="button"
      class="button quiet square menu"
      aria-label="Pages"
      aria-expanded={menuOpen.value}
      aria-controls="pages"
      onClick={() => (menuOpen.value = !menuOpen.value)}
    >
      <Icon name="menu" />
    </button>
    <a class="brand" href={hrefOf('home')} aria-label="payments-sandbox, to Home">
      <span class={`dot ${connection.value.state}`} aria-hidden="true" />
      <span class="roomy">sandbox</span>
    </a>
    <WorldMenu />
    <span class="roomy">
      <Button needs="own" icon="share" title="Share this view, read-only (S)" onClick={share}>
        Share
      </Button>
    </span>
    <button
      type="button"
      class="search"
      onClick={() => (dialog.value = 'palette')}
      aria-keyshortcuts="Control+K"
    >
      <Icon name="search" />
      <span class="roomy">Search or run…</span>
      <Key>Ctrl K</Key>
    </button>
    {!gone.value && <ClockGroup />}
  </header>
)

function ClockGroup() {
  const { state } = connection.value
  const { frozen = false, speed = 1, scheduled = 0 } = clock.value ?? {}
  return (
    <div class="clock" role="group" aria-label="The world's clock">
      {state !== 'live' ? (
        <Pill tone={state === 'broken' ? 'bad' : 'plain'}>{words[state]}</Pill>
      ) : frozen ? (
        <Pill tone="wait">frozen</Pill>
      ) : (
        <Pill tone="good">{speed === 1 ? 'live' : `× ${speed}`}</Pill>
      )}
      <WorldTime />
      <Button
        icon={frozen ? 'play' : 'pause'}
        onClick={() => void freezeOrResume()}
        title={frozen ? 'Resume the clock (f)' : 'Freeze the clock (f)'}
      >
        <span class="roomy">{frozen ? 'Resume' : 'Freeze'}</span>
      </Button>
      <span class="roomier">
        <Button onClick={() => void advance('1h')} title="One hour forward, with the jobs due until then">
          +1 h
        </Button>
        <Button onClick={settleOrAsk} title="Run all pending jobs now (s)" disabled={scheduled === 0}>
          {scheduled === 0 ? 'Nothing pending' : `Settle ${scheduled} pending`}
        </Button>
      </span>
    </div>
  )
}

function WorldTime() {
  const now = worldNow.value
  if (now === undefined) return null
  const off = ahead.value
  const far = Math.abs(off) > 2_000
  const title = far
    ? `${lasting(Math.abs(off))} ${off > 0 ? 'ahead of' : 'behind'} real time`
    : 'as real time'
  return (
    <time class="num roomy now" dateTime={new Date(now).toISOString()} title={title}>
      {dayOf(now, Date.now())} {timeOf(now)}
      {far && <small>{off > 0 ? ` +${lasting(off)}` : ` −${lasting(-off)}`}</small>}
    </time>
  )
}

/** The current world and others for which this window has a key. */
export function WorldMenu() {
  const [open, setOpen] = useState(false)
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!open) return
    const away = (event: Event) => {
      if (!ref.current!.contains(event.target as Node)) setOpen(false)
    }
    const escape = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setOpen(false)
      ref.current!.querySelector('button')!.focus()
    }
    addEventListener('pointerdown', away)
    addEventListener('keydown', escape)
    return () => {
      removeEventListener('pointerdown', away)
      removeEventListener('keydown', escape)
    }
  }, [open])
  const { world, name } = session.value ?? {}
  return (
    <div class="menu-holder" ref={ref}>
      <button
        type="button"
        class="button world"
        aria-haspopup="true"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span class="soft roomy">World</span>
        <b>
          <bdi>{name ?? world ?? '…'}</bdi>
        </b>
        <Icon name="down" />
      </button>
      {open && (
        <div class="drop">
          <ul>
            {knownWorlds.value.map((each) => (
              <li key={each}>
                <button
                  type="button"
                  aria-current={each === world ? 'true' : undefined}
                  onClick={() => {
                    setOpen(false)
                    go(writeAddress({ world: each, page: route.peek().page }))
                  }}
                >
                  <bdi>{each}</bdi>
                  {each === world && <Icon name="check" />}
                </button>
              </li>
            ))}
          </ul>
          <button
            type="button"
            onClick={() => {
              setOpen(false)
              dialog.value = 'world'
            }}
          >
            Another world…
          </button>
        </div>
      )}
    </div>
  )
}

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
