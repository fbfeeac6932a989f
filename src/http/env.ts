import type { Exchange } from './exchange.ts'

/** What the pages find in their context. */
export interface Env {
  Variables: {
    exchange: Exchange
  }
}
