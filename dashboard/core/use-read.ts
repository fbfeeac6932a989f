import { useEffect, useState } from 'preact/hooks'
import { SandboxError, wordsOf } from './api.ts'
import { expired } from './session.ts'

export interface Read<T> {
  readonly value: T | undefined
  /** The loading error. */
  readonly error: string
  readonly loading: boolean
  readonly again: () => void
}

/** Loads a value whenever one of `on` changes; the previous value stays in the meantime. */
export function useRead<T>(
  read: () => Promise<T>,
  on: readonly unknown[],
  keep: readonly unknown[] = [],
): Read<T> {
  const [state, setState] = useState<{ value?: T; error: string; loading: boolean }>({
    error: '',
    loading: true,
  })
  const [count, setCount] = useState(0)
  const about = JSON.stringify(on)
  useEffect(() => {
    setState({ error: '', loading: true })
  }, [about])
  useEffect(() => {
    let current = true
    read().then(
      (value) => current && setState({ value, error: '', loading: false }),
      (failure: unknown) => {
        if (!current) return
        if (failure instanceof SandboxError && failure.status === 401) return expired()
        setState({ error: wordsOf(failure), loading: false })
      },
    )
    return () => {
      current = false
    }
  }, [about, JSON.stringify(keep), count])
  return { value: state.value, error: state.error, loading: state.loading, again: () => setCount(count + 1) }
}
