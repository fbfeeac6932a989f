import { signal } from '@preact/signals'

export interface Notice {
  readonly n: number
  readonly text: string
  readonly bad: boolean
  /** Takes the action back. */
  readonly undo?: (() => void) | undefined
}

export const notice = signal<Notice | undefined>()
let count = 0
let timer = 0

export function say(text: string, bad = false, undo?: () => void): void {
  clearTimeout(timer)
  notice.value = { n: ++count, text, bad, undo }
  timer = setTimeout(() => (notice.value = undefined), undo ? 30_000 : bad ? 12_000 : 5_000)
}
