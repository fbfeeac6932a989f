import { ServiceError } from '../domain/errors.ts'
import type { AdminSettings } from '../generated/control/schemas.ts'
import type { Random } from '../random.ts'

type Delay = AdminSettings['delay']
type Chaos = AdminSettings['chaos']

/** Holds requests of the service up and lets them fail by chance, drawn from the seed. */
export interface Disturbance {
  readonly delay: Delay
  readonly chaos: Chaos
  change(change: { delay?: Delay | undefined; chaos?: Chaos | undefined }): void
  /** Undefined when nothing disturbs. @throws ServiceError 500 or 503 when the request is to fail */
  meet(): Promise<void> | undefined
}

/** @param pause waits so many milliseconds */
export function createDisturbance(random: Random, pause: (ms: number) => Promise<void>): Disturbance {
  let delay: Delay = null
  let chaos: Chaos = null
  let met = 0
  const meet = async () => {
    const n = ++met
    const wait = delay ? duration(delay, random, n) : 0
    if (wait > 0) await pause(wait)
    if (chaos && random.fraction('chaos', n) < chaos.probability) {
      const status = chaos.status ?? (random.fraction('chaos-status', n) < 0.5 ? 500 : 503)
      throw new ServiceError(
        status === 500 ? 'internal' : 'unavailable',
        'failed by chance, as the settings of /__admin ask for',
      )
    }
  }
  return {
    get delay() {
      return delay
    },
    get chaos() {
      return chaos
    },
    change(change) {
      if (change.delay !== undefined) delay = change.delay
      if (change.chaos !== undefined) chaos = change.chaos
    },
    meet: () => (delay || chaos ? meet() : undefined),
  }
}

/** Milliseconds. */
function duration(delay: NonNullable<Delay>, random: Random, n: number): number {
  if (delay.type === 'fixed') return delay.milliseconds ?? 0
  if (delay.type === 'uniform') {
    const { lower = 0, upper = lower } = delay
    return lower + (upper - lower) * random.fraction('delay', n)
  }
  // Box and Muller: two even draws make one of the normal distribution.
  const normal =
    Math.sqrt(-2 * Math.log(1 - random.fraction('delay', n))) *
    Math.cos(2 * Math.PI * random.fraction('delay-angle', n))
  return Math.min((delay.median ?? 0) * Math.exp((delay.sigma ?? 0) * normal), 60_000)
}
