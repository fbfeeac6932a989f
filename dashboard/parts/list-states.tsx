import type { ListState } from '../core/resource.ts'
import { Button } from './bits.tsx'
import { Icon, type IconName } from './icon.tsx'
import { signal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Milliseconds before a loading indicator appears. */
const SOON = 150

export function Loading() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SOON)
    return () => clearTimeout(timer)
  }, [])
  if (!late) return <div class="waiting" aria-busy="true" />
  return (
    <div class="waiting" aria-busy="true" role="status" aria-label="Loading">
      {[72, 58, 66, 49, 61].map((width) => (
        <span key={width} class="bone" style={{ width: `${width}%` }} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
  /** Whether it replaces the whole page. */
  readonly page?: boolean
}

export const Empty = ({ icon, title, children, page = false }: EmptyProps) => (
  <div class="empty">
    <span class="emblem">
      <Icon name={icon} />
    </span>
    {page ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children}
  </div>
)

interface StateProps {
  readonly state: ListState
  readonly error: string
  readonly retry: () => void
}

export function NotThere({ state, error, retry }: StateProps) {
  if (state === 'loading') return <Loading />
  if (state === 'not allowed')
    return (
      <Empty icon="keys" title="This key may not see it">
        <p>{error}</p>
      </Empty>
    )
  return (
    <Empty icon="warn" title="It could not be loaded">
      <p>{error}</p>
      <Button needs="read" onClick={retry}>
        Try again
      </Button>
    </Empty>
  )
}

/** Stands for an open item that is loading, or does not exist. */
export const Missing = ({ title, words, loading }: { title: string; words: string; loading: boolean }) =>
  loading ? (
    <Loading />
  ) : (
    <Empty icon="search" title={title}>
      <p>
        <bdi>{words}</bdi>
      </p>
    </Empty>
  )

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
