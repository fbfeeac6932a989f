import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from './bits.tsx'
import { Empty, Loading } from './list-states.tsx'

/** Scripts that are not loaded yet, in order of their pages. */
const ahead: (() => Promise<void>)[] = []

/** Loads all scripts while the reader is busy elsewhere, so that pages open without delay or connection. */
export async function loadAhead(): Promise<void> {
  for (let next = ahead.shift(); next; next = ahead.shift()) await next()
}

/**
 * A component whose script is loaded when it is first shown, such as `atNeed(async () => (await
 * import('./doctor.tsx')).Doctor)`.
 */
export function atNeed<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | 'failed' | undefined>(undefined)
  const begin = async () => {
    try {
      loaded.value = await load()
    } catch {
      loaded.value = 'failed'
    }
  }
  ahead.push(async () => {
    // A failure here is shown when the page is opened, after another attempt.
    if (loaded.peek() === undefined)
      await load()
        .then((Part) => (loaded.value = Part))
        .catch(() => {})
  })
  return function AtNeed(props) {
    useEffect(() => {
      if (loaded.peek() === undefined) void begin()
    }, [])
    const Part = loaded.value
    if (Part === undefined) return <Loading />
    if (Part !== 'failed') return <Part {...props} />
    return (
      <Empty icon="warn" title="This page could not be loaded">
        <p>The sandbox does not respond, or has been updated.</p>
        <Button needs="read" onClick={() => location.reload()}>
          Reload
        </Button>
      </Empty>
    )
  }
}
