import { pause, systemWall } from './clock.ts'
import { repeat } from './repeat.ts'
import { systemMonotonic } from './steady.ts'

/** The machine's clocks and timers; a parameter so that tests can control them. */
export interface Ticks {
  /** Milliseconds since an arbitrary moment; never goes back. It may stop while the machine sleeps. */
  monotonic(): number
  /** Milliseconds since the epoch. */
  wall(): number
  wait(ms: number): Promise<void>
  every(ms: number, work: () => void): () => void
}

export const systemTicks: Ticks = {
  monotonic: systemMonotonic,
  wall: systemWall,
  wait: pause,
  every: repeat,
}
