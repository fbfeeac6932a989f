import { useEffect, useState } from 'preact/hooks'
import { notice } from '../core/notice.ts'
import { happenings } from '../core/store.ts'
import { summary } from '../core/describe-event.ts'
import { Button, IconButton } from '../parts/bits.tsx'

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
