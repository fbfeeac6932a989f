import { root } from './settings.ts'

/** Answers that are waited for, and reads that are about to be asked. */
let open = 0

const count = (by: number) => {
  open += by
  root.dataset['reading'] = String(open)
}
count(0)

/** Counts something among what the window waits for, which its root element tells as `data-reading`. Returns how to say that it came. */
export function waiting(): () => void {
  count(1)
  return () => count(-1)
}
