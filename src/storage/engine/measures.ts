/** What an engine that is reached over a network tells of how it goes; times are milliseconds. */
export interface Measures {
  /** Calls `meter` from now on. */
  measure(meter: Meter): void
  /** How it is now. @throws StoreUnavailable when it cannot be asked */
  vitals(): Promise<Vitals>
  /** It cannot be reached. */
  readonly unavailable: boolean
  readonly connections: number
  /** Changes of other processes that were taken over since the beginning. */
  readonly caughtUp: number
}

export interface Meter {
  /** A statement by itself was answered, or a transaction of changes has ended. */
  trip(kind: 'statement' | 'transaction', ms: number): void
  /** So many changes were kept together. */
  batch(changes: number): void
}

export interface Vitals {
  /** Since the lease on a world's jobs was renewed that was renewed longest ago; 0 without leases. */
  readonly lease_age: number
}
