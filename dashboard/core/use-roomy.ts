import { useEffect, useState } from 'preact/hooks'

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
