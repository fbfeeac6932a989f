/** The clock of the world that is shown. */
import { computed, signal } from '@preact/signals'
import type { Clock } from '../../src/client/types.ts'

/** What the sandbox said last, and when the window heard it. */
const heard = signal<{ readonly clock: Clock; readonly at: number } | undefined>()
/** Counts the seconds, as long as the window is seen. */
const tick = signal(0)

export const clock = computed(() => heard.value?.clock)

export function setClock(now: Clock | undefined): void {
  heard.value = now && { clock: now, at: performance.now() }
}

/** The world's time, milliseconds; moves once a second, or ten times where it goes faster. */
export const worldNow = computed(() => {
  void tick.value
  const last = heard.value
  if (!last) return undefined
  const { now, frozen, speed } = last.clock
  return Date.parse(now) + (frozen ? 0 : (performance.now() - last.at) * speed)
})

/** How far the world is from the time of its sandbox, milliseconds. */
export const ahead = computed(() => {
  const last = heard.value
  return last ? Date.parse(last.clock.now) - Date.parse(last.clock.wall) : 0
})

setInterval(() => {
  if (!document.hidden) tick.value++
}, 1_000)
document.addEventListener('visibilitychange', () => tick.value++)
