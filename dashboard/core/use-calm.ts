import { useEffect, useRef, useState } from 'preact/hooks'

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
