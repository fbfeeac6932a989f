/** Durations in buckets that grow by a tenth, so that memory is constant. */
export interface Percentiles {
  readonly count: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

const GROWTH = Math.log(1.1)

export class Histogram {
  readonly #buckets = new Uint32Array(200)
  #count = 0
  #most = 0

  /** @param ms - milliseconds; less than 0 counts as 0 */
  add(ms: number): void {
    const bucket = Math.min(this.#buckets.length - 1, Math.floor(Math.log(Math.max(0, ms) + 1) / GROWTH))
    this.#buckets[bucket]!++
    this.#count++
    this.#most = Math.max(this.#most, ms)
  }

  /** Returns the upper end of the bucket, milliseconds; 0 without durations. */
  percentile(share: number): number {
    let left = Math.ceil(this.#count * share)
    for (const [bucket, count] of this.#buckets.entries()) {
      left -= count
      if (left <= 0 && this.#count > 0)
        return Math.min(this.#most, Math.round(Math.exp((bucket + 1) * GROWTH) - 1))
    }
    return 0
  }

  summary(): Percentiles {
    const at = (share: number) => this.percentile(share)
    return { count: this.#count, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: Math.round(this.#most) }
  }
}
