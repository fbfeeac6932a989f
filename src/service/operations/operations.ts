import { channels, kyc, members, teams } from './teams.ts'
import { discovery } from './discovery.ts'
import type { ServiceHandlers } from '../../http/handler.ts'
import { payments } from './payments.ts'

export const operations: ServiceHandlers = {
  ...teams,
  ...members,
  ...kyc,
  ...channels,
  ...discovery,
  ...payments,
}
