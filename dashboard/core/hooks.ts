import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { waiting } from './frame.ts'
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

/**
 * Reads a value after a pause without a change of `on`. The previous value stays in the meantime.
 * @param read - must not fail; undefined for nothing to read
 */
export function usePaused<T extends object | string>(
  read: (() => Promise<T>) | undefined,
  pause: number,
  on: readonly unknown[],
): T | undefined {
  const [value, setValue] = useState<T>()
  useEffect(() => {
    if (!read) return
    let current = true
    const came = waiting()
    const timer = setTimeout(() => void read().then((next) => (came(), current && setValue(next))), pause)
    return () => {
      current = false
      clearTimeout(timer)
      came()
    }
  }, on)
  return value
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
