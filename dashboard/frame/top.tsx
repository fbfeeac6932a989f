import { advance, freezeOrResume, settleOrAsk } from '../core/actions.ts'
import { dialog, share } from '../core/dialogs.ts'
import { lasting } from '../core/durations.ts'
import { dayOf, timeOf } from '../core/format.ts'
import { gone } from '../core/session.ts'
import { connection } from '../core/store.ts'
import { ahead, clock, worldNow } from '../core/world-clock.ts'
import { Button, Key, Pill } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { menuOpen } from './nav.tsx'
import { WorldMenu } from './world-menu.tsx'
import { hrefOf } from '../core/route.ts'

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

/** The world's time and its difference to real time. */
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
