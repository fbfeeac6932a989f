import { callbacks } from './callbacks.ts'
import { clock } from './clock.ts'
import { explanations } from './explanations.ts'
import type { ControlHandlers } from './handlers.ts'
import { inbox } from './inbox.ts'
import { ledger } from './ledger.ts'
import { others } from './others.ts'
import type { ControlParts } from './parts.ts'
import { scenarios } from './scenarios.ts'
import { signatures } from './signatures.ts'
import { timeline } from './timeline.ts'
import { wait } from './wait.ts'

export type { ControlParts } from './parts.ts'

/** The handlers of the control API, by operation id. */
export const control = (parts: ControlParts): ControlHandlers => ({
  ...ledger,
  ...scenarios,
  ...explanations,
  ...others,
  ...callbacks,
  ...wait,
  ...timeline,
  ...signatures(parts),
  ...inbox(parts),
  ...clock(parts),
})
