import type { Log } from '../lib/log/log.ts'
import { isUrl } from '../lib/text/is-url.ts'
import type { CallbackRow, TransactionRow } from '../storage/store/payment-rows.ts'
import type { KycRow, TeamRow } from '../storage/store/rows.ts'
import type { RowChange, Store } from '../storage/store/store.ts'

export type CommitListener = Parameters<Store['onCommit']>[0]

/** Those who hear of what the store has kept, until they are all told to stop. */
export interface Commits {
  listen(listener: CommitListener): void
  stop(): void
}

export function commitsOf(store: Store): Commits {
  const stops: (() => void)[] = []
  return {
    listen: (listener) => void stops.push(store.onCommit(listener)),
    stop() {
      for (const stop of stops) stop()
    },
  }
}

/** Writes a line for each state that a change brought about. */
export const stateLog = (log: Log) => (world: string, written: readonly RowChange[]) => {
  for (const { table, key, row } of written) {
    if (table === 'transactions' && row) {
      const { reference, status, reason, operation, kept_from } = row as TransactionRow
      // Nothing came about: it is kept for longer.
      if (kept_from !== undefined) continue
      log.info('transaction', { world, reference, status, reason, operation })
    } else if (table === 'kycs' && row) {
      const { id, account_id, status } = row as KycRow
      log.info('kyc', { world, id, account_id, status })
    } else if (table === 'callbacks' && row) {
      const { id, state, url } = row as CallbackRow
      log.info('callback', { world, id, state, target: isUrl(url) ? new URL(url).host : url })
    } else if (table === 'teams') {
      log.info('team', { world, id: key, status: (row as TeamRow | undefined)?.status ?? 'deleted' })
    }
  }
}
