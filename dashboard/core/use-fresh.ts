import { effect, untracked } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { SandboxError, wordsOf } from './api.ts'
import { atMostEvery } from './frame.ts'
import { expired } from './session.ts'
import { type Happening, happenings } from './store.ts'
import type { Read } from './use-read.ts'

/** Milliseconds between two reads. */
const REST = 250

/**
 * Loads a value and reloads it after relevant events; the previous value stays in the meantime.
 * @param on - dependencies
 * @param touches - whether an event may have changed the value
 */
export function useFresh<T>(
  read: () => Promise<T>,
  on: readonly unknown[],
  touches: (event: Happening) => boolean,
): Read<T> {
  const about = JSON.stringify(on)
  const [state, setState] = useState<{ about: string; value?: T; error: string }>({ about, error: '' })
  const [count, setCount] = useState(0)
  useEffect(() => {
    let current = true
    let heard = happenings.peek()[0]?.n ?? 0
    const load = async () => {
      try {
        const value = await read()
        if (current) setState({ about, value, error: '' })
      } catch (failure) {
        if (!current) return
        if (failure instanceof SandboxError && failure.status === 401) return expired()
        setState((before) => ({ ...(before.about === about && before), about, error: wordsOf(failure) }))
      }
    }
    const again = atMostEvery(REST, load, 0)
    const stop = effect(() => {
      const all = happenings.value
      const known = all.findIndex(({ n }) => n <= heard)
      const news = known < 0 ? all : all.slice(0, known)
      // The event log restarted, so the world was replaced.
      const anew = all.length === 0 && heard > 0
      heard = all[0]?.n ?? 0
      if (anew || news.some(touches)) untracked(again)
    })
    void load()
    return () => {
      current = false
      stop()
    }
  }, [about, count])
  const { value, error } = state.about === about ? state : { value: undefined, error: '' }
  return { value, error, loading: value === undefined && error === '', again: () => setCount(count + 1) }
}
