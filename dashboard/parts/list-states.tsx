import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ListState } from '../core/resource.ts'
import { Button } from './bits.tsx'
import { Icon, type IconName } from './icon.tsx'

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

/** An empty state with a next step. */
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

/** Shown when a list could not be loaded. */
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
