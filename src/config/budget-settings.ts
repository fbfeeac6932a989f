import { budgetItems } from '../worlds/budget-items.ts'
import { count, size, sizeFrom } from './schemas.ts'
import type { Setting } from './setting.ts'

/** The settings of a world's budget. */
export const budgetSettings = {
  worldRows: { ...budgetItems.rows, schema: size },
  worldInboxes: { ...budgetItems.inboxes, schema: size },
  worldJournal: { ...budgetItems.journal, schema: () => sizeFrom(2 ** 20) },
  worldSnapshots: { ...budgetItems.snapshots, schema: size },
  worldSnapshotCount: { ...budgetItems.snapshot_count, schema: count },
  worldScenarios: { ...budgetItems.scenarios, schema: size },
  worldBodies: { ...budgetItems.bodies, schema: size },
  worldWaiters: { ...budgetItems.waiters, schema: count },
  worldStreams: { ...budgetItems.streams, schema: count },
  worldRequests: { ...budgetItems.requests, schema: count },
  worldInboxRequests: { ...budgetItems.inbox_requests, schema: count },
  worldCallbacks: { ...budgetItems.callbacks, schema: count },
  worldCallbacksADay: { ...budgetItems.callbacks_a_day, schema: count },
  worldMails: { ...budgetItems.mails, schema: count },
} satisfies Record<string, Setting>
