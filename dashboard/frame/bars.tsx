import { freezeOrResume, perform } from '../core/actions.ts'
import { mayChange } from '../core/access.ts'
import { counted, endOf } from '../core/format.ts'
import { goToRoot, gone, makeAgain, rootOf, session } from '../core/session.ts'
import { connection, happenings } from '../core/store.ts'
import { clock } from '../core/world-clock.ts'
import { Button, IconButton, Said, Time } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { notice } from '../core/notice.ts'
import { Empty } from '../parts/list-states.tsx'
import { useEffect, useState } from 'preact/hooks'
import { summary } from '../parts/describe-event.ts'

/** Notices for all pages: read-only key, lost connection, frozen clock. */
export const Bars = () => (
  <>
    {session.value && !mayChange.value && <OnlyLooks />}
    {connection.value.state === 'broken' && (
      <p class="bar-note bad" role="status">
        <Icon name="warn" />
        <span>
          The sandbox does not answer. What you see is what was there before; it goes on by itself when it is
          back.
        </span>
      </p>
    )}
    {clock.value?.frozen && (
      <p class="bar-note wait">
        <Icon name="pause" />
        <span>
          The clock is frozen at <Time at={clock.value.now} />
          {clock.value.scheduled > 0 && `; ${counted(clock.value.scheduled, 'job')} pending`}.
        </span>
        <Button icon="play" onClick={() => void freezeOrResume()}>
          Resume
        </Button>
      </p>
    )}
  </>
)

/** Explains why buttons are disabled. */
function OnlyLooks() {
  const { username, expires_at } = session.value!.key
  return (
    <p class="bar-note">
      <Icon name="keys" />
      <span>
        You are using a read-only key, <bdi>{username}</bdi>
        {expires_at && (
          <>
            , until <time dateTime={expires_at}>{endOf(expires_at)}</time>
          </>
        )}
        .
      </span>
    </p>
  )
}

export function Gone() {
  const { world, name } = gone.value!
  return (
    <Empty icon="worlds" title="This world was deleted" page>
      <p>
        <Said>{name ?? world}</Said> was deleted or expired. You can create it again in its initial state; its
        data only returns by importing an export.
      </p>
      <div class="row">
        <Button needs="read" kind="main" onClick={() => void perform(makeAgain)}>
          Create it again
        </Button>
        <Button needs="read" onClick={() => goToRoot(world)}>
          To {rootOf(world)}
        </Button>
      </div>
    </Empty>
  )
}

/** Milliseconds between two announcements to screen readers. */
const CALM = 5_000

/** Shows the result of the last action and announces new rows to screen readers. */
export function Notices() {
  const [heard, setHeard] = useState('')
  useEffect(() => {
    let told = happenings.peek()[0]?.n ?? 0
    const timer = setInterval(() => {
      const all = happenings.peek()
      const news = all.slice(0, Math.max(0, (all[0]?.n ?? 0) - told))
      told = all[0]?.n ?? 0
      setHeard(news.length > 0 ? summary(news) : '')
    }, CALM)
    return () => clearInterval(timer)
  }, [])
  const now = notice.value
  return (
    <>
      <p class="unseen" role="status">
        {heard}
      </p>
      <div class="notices" role="status">
        {now && !now.bad && (
          <p key={now.n}>
            {now.text}
            {now.undo && (
              <Button needs="own" onClick={now.undo}>
                Undo
              </Button>
            )}
          </p>
        )}
      </div>
      <div class="notices" role="alert">
        {now?.bad && (
          <p key={now.n} class="bad">
            {now.text}
            <IconButton needs="read" icon="close" label="Close" onClick={() => (notice.value = undefined)} />
          </p>
        )}
      </div>
    </>
  )
}
