import type { Log } from '../log.ts'
import type { WorldsOptions } from '../worlds/worlds.ts'

/** Warns of worlds that have spent much of their budget. */
export const budgetLog =
  (log: Log): WorldsOptions['onSpent'] =>
  (world, { name, used, limit, setting }, percent) =>
    log.warn('budget spent', { world, item: name, percent, used, limit, setting })
