import { ServiceError } from '../service/domain/errors.ts'
import type { AdminSettings } from '../generated/control/schemas.ts'
import type { Random } from '../lib/random/random.ts'

type Delay = AdminSettings['delay']
type Failing = AdminSettings['chaos']

/** Holds requests of the service up and lets them fail by chance, drawn from the seed. */
export interface Chaos {
  readonly delay: Delay
  readonly chaos: Failing
  change(change: { delay?: Delay | undefined; chaos?: Failing | undefined }): void
  /** Whether anything is held up or fails at present. */
  readonly on: boolean
  /** @throws ServiceError 500 or 503 when the request is to fail */
  meet(): Promise<void>
}

/** @param pause waits so many milliseconds */
export function createChaos(random: Random, pause: (ms: number) => Promise<void>): Chaos {
  let delay: Delay = null
  let chaos: Failing = null
  let met = 0
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
    get on() {
      return delay !== null || chaos !== null
    },
    async meet() {
      const n = ++met
      const wait = delay ? duration(delay, random, n) : 0
      if (wait > 0) await pause(wait)
      if (!chaos || random.fraction('chaos', n) >= chaos.probability) return
      const status = chaos.status ?? (random.fraction('chaos-status', n) < 0.5 ? 500 : 503)
      throw new ServiceError(
        status === 500 ? 'internal' : 'unavailable',
        'failed by chance, as the settings of /__admin ask for',
      )
    },
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
