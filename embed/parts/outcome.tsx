import { useEffect, useRef } from 'preact/hooks'
import type { Run } from '../core/run.ts'
import { Status } from './about.tsx'
import { Heading } from './heading.tsx'
import { Json } from './json.tsx'

/** The response and the callbacks as they arrive. */
export function RunShown({ run }: { readonly run: Run }) {
  const arrived = run.step === 'answered' ? run.arrived?.length : 0
  const box = useRef<HTMLDivElement>(null)
  // Scrolls only within the element, not the page.
  useEffect(() => {
    const at = box.current!
    if (run.step !== 'idle')
      at.closest('.panel')?.scrollTo({ top: at.offsetTop - at.parentElement!.offsetTop })
  }, [run.step, arrived])
  return (
    <div class="run" ref={box}>
      <p role="status" class={run.step === 'failed' ? 'why bad' : 'why'}>
        {lineOf(run)}
      </p>
      {run.step === 'answered' && <Answer run={run} />}
    </div>
  )
}

function Answer({ run }: { readonly run: Run & { readonly step: 'answered' } }) {
  const { status, statusText, ms, body } = run.answered
  return (
    <>
      <Heading part>
        Answer <Status of={status} /> <span class="soft">{`${statusText} ${ms} ms`}</span>
      </Heading>
      <Json value={body} label="Answer" />
      {run.arrived?.map(({ state, url, answered, body: told }, at) => (
        <section key={at}>
          <Heading part>
            Callback{' '}
            <span class={state === 'delivered' ? 'status good' : 'status bad'}>{answered ?? state}</span>
          </Heading>
          <p class="soft address">{url}</p>
          <Json value={told} label={`Callback ${at + 1}`} />
        </section>
      ))}
    </>
  )
}

/** A summary that screen readers announce as well. */
function lineOf(run: Run): string {
  if (run.step === 'idle') return ''
  if (run.step === 'sending') return 'Sending…'
  if (run.step === 'failed') return run.why
  const { answered, arrived, waiting } = run
  const said = `Answered ${answered.status}.`
  if (!arrived) return said
  const count = arrived.length
  if (count > 0) return `${said} ${count === 1 ? 'The callback has' : `${count} callbacks have`} arrived.`
  return waiting ? `${said} Waiting for the callback…` : `${said} No callback came within a minute.`
}
