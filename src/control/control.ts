import { admin } from './admin.ts'
import { apiKeys } from './api-keys.ts'
import { events } from './events.ts'
import type { ControlHandlers } from './handlers.ts'
import { ledger } from './ledger.ts'
import { outbox } from './outbox.ts'
import { requests } from './requests.ts'
import { snapshots } from './snapshots.ts'
import { worlds } from './worlds.ts'

/** The handlers of the control API, by operation id. */
export const control: ControlHandlers = {
  ...ledger,
  ...worlds,
  ...snapshots,
  ...apiKeys,
  ...requests,
  ...events,
  ...outbox,
  ...admin,
}

/** Bytes that bodies may have where it is not the usual limit. */
export const controlBodyLimits = { importWorld: 64 * 1_048_576 }
