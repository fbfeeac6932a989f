import { budgetItems } from '../budget-items.ts'
import { count, size, sizeFrom } from './readers.ts'

/** The settings of a world's budget. */
export const budgetSettings = {
  worldRows: { ...budgetItems.rows, reader: size },
  worldJournal: { ...budgetItems.journal, reader: sizeFrom(2 ** 20) },
  worldSnapshots: { ...budgetItems.snapshots, reader: size },
  worldSnapshotCount: { ...budgetItems.snapshot_count, reader: count },
  worldScenarios: { ...budgetItems.scenarios, reader: size },
  worldBodies: { ...budgetItems.bodies, reader: size },
  worldWaiters: { ...budgetItems.waiters, reader: count },
  worldStreams: { ...budgetItems.streams, reader: count },
  worldRequests: { ...budgetItems.requests, reader: count },
  worldCallbacks: { ...budgetItems.callbacks, reader: count },
  worldMails: { ...budgetItems.mails, reader: count },
}
