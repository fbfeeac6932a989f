/** The result of the last action. */
import { signal } from '@preact/signals'

export interface Notice {
  readonly n: number
  readonly text: string
  readonly bad: boolean
}

export const notice = signal<Notice | undefined>()
let count = 0
let timer = 0

/** Shows a notice for a few seconds. */
export function say(text: string, bad = false): void {
  clearTimeout(timer)
  notice.value = { n: ++count, text, bad }
  timer = setTimeout(() => (notice.value = undefined), bad ? 12_000 : 5_000)
}
