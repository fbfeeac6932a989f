import type { Inboxes } from '../callbacks/inbox.ts'
import type { FirstSecret } from '../signatures/secrets.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'

/** What the control API steers beside the rows of a world. */
export interface ControlParts {
  readonly scheduler: Scheduler
  readonly firstSecret: FirstSecret
  readonly inboxes: Inboxes
}
