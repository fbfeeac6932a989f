import { type CheckId, type Group, groupOf } from './check-ids.ts'
import type { CheckDefinition, CheckText } from './checks/check.ts'
import { clientFaults } from './checks/client-faults.ts'
import { clientOutcomes } from './checks/client-outcomes.ts'
import { clientRequests } from './checks/client-requests.ts'
import { payouts } from './checks/payouts.ts'
import { onboarding } from './checks/onboarding.ts'
import { receiverEffects } from './checks/receiver-effects.ts'
import { receiverManners } from './checks/receiver-manners.ts'
import { receiverSignatures } from './checks/receiver-signatures.ts'
import { reconciliation } from './checks/reconciliation.ts'
import { security } from './checks/security.ts'

/** Every check. An id without a check does not compile, nor a check without an id. */
export const checks: Readonly<Record<CheckId, CheckDefinition>> = {
  ...receiverSignatures,
  ...receiverEffects,
  ...receiverManners,
  ...clientFaults,
  ...clientOutcomes,
  ...clientRequests,
  ...payouts,
  ...onboarding,
  ...security,
  ...reconciliation,
}

/** The texts of a check with its id. */
export interface Check extends Omit<CheckText, 'fault' | 'mandatoryWith'> {
  readonly version: number
  readonly id: CheckId
  readonly group: Group
}

export function checkOf(id: CheckId): Check {
  const { title, level, version = 1, mode, probe, feature, tried, expected, impact, fix, docs } = checks[id]
  const about = { title, version, level, mode, probe, ...(feature && { feature }) }
  return { id, group: groupOf(id), ...about, tried, expected, impact, fix, docs }
}
