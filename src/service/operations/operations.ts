import { channels } from './channels.ts'
import { discovery } from './discovery.ts'
import type { ServiceHandlers } from '../../http/handler.ts'
import { kyc } from './kyc.ts'
import { members } from './members.ts'
import { payments } from './payments.ts'
import { teams } from './teams.ts'

/** The handlers of the service, by operation id. */
export const operations: ServiceHandlers = {
  ...teams,
  ...members,
  ...kyc,
  ...channels,
  ...discovery,
  ...payments,
}
