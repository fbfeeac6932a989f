import { type CheckId, type Group, groupOf } from './check-ids.ts'
import type { CheckDefinition } from './checks/check.ts'
import { client } from './checks/client.ts'
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
  ...client,
  ...clientRequests,
  ...payouts,
  ...onboarding,
  ...security,
  ...reconciliation,
}

export type Check = ReturnType<typeof checkOf>

/** Returns the texts of a check with its id. */
export function checkOf(id: CheckId) {
  const { title, level, version, mode, probe, feature, tried, expected, impact, fix, docs } = checks[id]
  const about = { title, version, level, mode, probe, ...(feature && { feature }) }
  const group: Group = groupOf(id)
  return { id, group, ...about, tried, expected, impact, fix, docs }
}
