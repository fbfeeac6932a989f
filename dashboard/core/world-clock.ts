import { computed, signal } from '@preact/signals'
import type { Clock } from '../../src/client/types.ts'

/** The last known clock and when it was received. */
const heard = signal<{ readonly clock: Clock; readonly at: number } | undefined>()
/** Ticks every second, or four times a second in a fast world. */
const tick = signal(0)

export const clock = computed(() => heard.value?.clock)

export function setClock(now: Clock | undefined): void {
  heard.value = now && { clock: now, at: performance.now() }
}

export const worldNow = computed(() => {
  void tick.value
  const last = heard.value
  if (!last) return undefined
  const { now, frozen, speed } = last.clock
  return Date.parse(now) + (frozen ? 0 : (performance.now() - last.at) * speed)
})

/** Difference between the world's time and real time, in milliseconds. */
export const ahead = computed(() => {
  const last = heard.value
  return last ? Date.parse(last.clock.now) - Date.parse(last.clock.real_time) : 0
})

/** More frequent updates would not be readable. */
const QUARTER = 250
let quarters = 0
setInterval(() => {
  if (document.hidden) return
  const fast = (heard.peek()?.clock.speed ?? 0) > 1
  if (fast || quarters++ % 4 === 0) tick.value++
}, QUARTER)
document.addEventListener('visibilitychange', () => tick.value++)
