import type { ControlHandlers } from './handlers.ts'
import { explanations } from './explanations.ts'
import { ledger } from './ledger.ts'
import { others } from './others.ts'
import { scenarios } from './scenarios.ts'

/** The handlers of the control API, by operation id. */
export const control: ControlHandlers = { ...ledger, ...scenarios, ...explanations, ...others }
