import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Shortcut, addShortcuts } from './keys.ts'

/** Adds shortcuts while a page is shown, before its first paint. @param on - dependencies */
export function useKeys(shortcuts: readonly Shortcut[], on: readonly unknown[]): void {
  useLayoutEffect(() => addShortcuts(shortcuts), on)
}

/** Throttles a value. @param rest - milliseconds between two updates */
export function useCalm<T>(value: T, rest = 400): T {
  const [calm, setCalm] = useState(value)
  const last = useRef(-Infinity)
  useEffect(() => {
    if (value === calm) return
    const wait = Math.max(0, last.current + rest - performance.now())
    const timer = setTimeout(() => {
      last.current = performance.now()
      setCalm(value)
    }, wait)
    return () => clearTimeout(timer)
  }, [value])
  return calm
}

/** Whether a detail fits next to a list. */
export function useRoomy(): boolean {
  const [query] = useState(() => matchMedia('(min-width: 68.01rem)'))
  const [roomy, setRoomy] = useState(query.matches)
  useEffect(() => {
    const look = () => setRoomy(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return roomy
}
