import { root } from './settings.ts'

/** Number of pending requests, including scheduled ones. */
let open = 0

const count = (by: number) => {
  open += by
  root.dataset['reading'] = String(open)
}
count(0)

/**
 * Marks something as pending; the root element shows it as `data-reading`. @returns how to mark it as done
 */
export function waiting(): () => void {
  count(1)
  return () => count(-1)
}
