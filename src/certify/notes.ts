/** What is kept of a check for the report: what was done, what went over the wire, what happened when. */
import { systemWall } from '../lib/clock/clock.ts'
import type { Exchange, Moment } from './certification.ts'
import { ofRequest } from './exchange.ts'
import type { ShopRequest } from './scene.ts'

/** What is told of how it was tried. */
export interface Story {
  readonly steps: readonly string[]
  readonly exchanges: readonly Exchange[]
  readonly timeline: readonly Moment[]
  /** Beside what is made of the exchanges. */
  readonly curl: string | null
  readonly duration_ms: number
}

/** Of a kind of request, so many are shown. */
const MOST_SHOWN = 6

export class Notes {
  readonly #exchanges: Exchange[] = []
  readonly #moments: Moment[] = []
  readonly #steps: string[] = []
  #worldTime: string | null = null

  /** Something that was done. */
  did(what: string): void {
    this.#steps.push(what)
    this.saw('certify', what)
  }

  saw(who: Moment['who'], what: string): void {
    const at = new Date(systemWall()).toISOString()
    this.#moments.push({ at, world_at: this.#worldTime, who, what })
  }

  keep(...exchanges: readonly Exchange[]): void {
    this.#exchanges.push(...exchanges)
  }

  /** Requests of the shop, the first few. */
  show(requests: readonly ShopRequest[], label: string): void {
    this.keep(...requests.slice(0, MOST_SHOWN).map((each, n) => ofRequest(each, `${label} ${n + 1}`)))
  }

  /** The world's clock has come so far. @param now milliseconds, or a date */
  clock(now: number | string): void {
    this.#worldTime = new Date(now).toISOString()
  }

  /** @param curl has it happen again */
  story(duration_ms: number, curl: string | null): Story {
    return { steps: this.#steps, exchanges: this.#exchanges, timeline: this.#moments, curl, duration_ms }
  }
}
