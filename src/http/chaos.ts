import { ServiceError } from '../service/domain/errors.ts'
import type { AdminSettings } from '../generated/control/schemas.ts'
import type { Random } from '../lib/random/random.ts'

type Delay = AdminSettings['delay']
type Failing = AdminSettings['chaos']
export type Pause = (ms: number) => Promise<void>

/** Delays requests of the service and makes some fail at random, drawn from the seed. */
export class Chaos {
  delay: Delay = null
  chaos: Failing = null
  /** Whether either is set. */
  on = false
  readonly #random: Random
  readonly #pause: Pause
  #requests = 0

  constructor(random: Random, pause: Pause) {
    this.#random = random
    this.#pause = pause
  }

  change({ delay, chaos }: { delay?: Delay | undefined; chaos?: Failing | undefined }): void {
    if (delay !== undefined) this.delay = delay
    if (chaos !== undefined) this.chaos = chaos
    this.on = this.delay !== null || this.chaos !== null
  }

  /** @throws {ServiceError} 500 or 503 if the request is chosen to fail */
  async meet(): Promise<void> {
    const n = ++this.#requests
    const random = this.#random
    const wait = this.delay ? duration(this.delay, random, n) : 0
    if (wait > 0) await this.#pause(wait)
    if (!this.chaos || random.fraction('chaos', n) >= this.chaos.probability) return
    const status = this.chaos.status ?? (random.fraction('chaos-status', n) < 0.5 ? 500 : 503)
    throw new ServiceError(
      status === 500 ? 'internal' : 'unavailable',
      'failed at random, as set with PATCH /__admin/settings',
    )
  }
}

/** Returns milliseconds. */
function duration(delay: NonNullable<Delay>, random: Random, n: number): number {
  if (delay.type === 'fixed') return delay.milliseconds ?? 0
  if (delay.type === 'uniform') {
    const { lower = 0, upper = lower } = delay
    return lower + (upper - lower) * random.fraction('delay', n)
  }
  // The Box-Muller transform turns two uniform draws into one of the normal distribution.
  const normal =
    Math.sqrt(-2 * Math.log(1 - random.fraction('delay', n))) *
    Math.cos(2 * Math.PI * random.fraction('delay-angle', n))
  return Math.min((delay.median ?? 0) * Math.exp((delay.sigma ?? 0) * normal), 60_000)
}
