import { useEffect, useMemo, useState } from 'preact/hooks'
import { atMostEvery } from './frame.ts'

/** Milliseconds between two readings of what changes all the time. */
const REST = 700

/** Counts up when one of these changed, but not as often as they do. */
export function useCalm(on: readonly unknown[]): number {
  const [count, setCount] = useState(0)
  const soon = useMemo(() => atMostEvery(REST, async () => setCount((before) => before + 1)), [])
  useEffect(() => {
    if (on.some((each) => each !== undefined)) soon()
  }, on)
  return count
}
