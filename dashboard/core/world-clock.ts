/** The clock of the world that is shown. */
import { computed, signal } from '@preact/signals'
import type { Clock } from '../../src/client/types.ts'

/** What the sandbox said last, and when the window heard it. */
const heard = signal<{ readonly clock: Clock; readonly at: number } | undefined>()
/** Counts as long as the window is seen: each second, or four times where the world goes faster. */
const tick = signal(0)

export const clock = computed(() => heard.value?.clock)

export function setClock(now: Clock | undefined): void {
  heard.value = now && { clock: now, at: performance.now() }
}

/** The world's time, milliseconds; moves once a second, or four times where it goes faster. */
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

/** Milliseconds, whatever the speed: more often nobody could read it. */
const QUARTER = 250
let quarters = 0
setInterval(() => {
  if (document.hidden) return
  const fast = (heard.peek()?.clock.speed ?? 0) > 1
  if (fast || quarters++ % 4 === 0) tick.value++
}, QUARTER)
document.addEventListener('visibilitychange', () => tick.value++)
