import type { ControlHandlers } from './handlers.ts'
import { ledger } from './ledger.ts'

/** The handlers of the control API, by operation id. */
export const control: ControlHandlers = { ...ledger }
