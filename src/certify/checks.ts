import type { CheckText, Group } from './checks/check.ts'
import { client } from './checks/client.ts'
import { onboarding, reconciliation, security } from './checks/others.ts'
import { receiverEffects } from './checks/receiver-effects.ts'
import { receiverManners } from './checks/receiver-manners.ts'
import { receiverSignatures } from './checks/receiver-signatures.ts'

export { groups, features } from './checks/check.ts'
export type { CheckText, Feature, Group } from './checks/check.ts'

/** Every check, in the order of reports. Ids never change, and none is used again. */
export const checks = {
  ...receiverSignatures,
  ...receiverEffects,
  ...receiverManners,
  ...client,
  ...onboarding,
  ...security,
  ...reconciliation,
} as const

/** Such as `RCV-11`. */
export type CheckId = keyof typeof checks

/** A check with its id. */
export interface Check extends CheckText {
  readonly id: CheckId
  readonly group: Group
}

export const checkIds = Object.keys(checks) as readonly CheckId[]

export const isCheckId = (text: string): text is CheckId => Object.hasOwn(checks, text)

export const groupOf = (id: CheckId): Group => id.slice(0, 3) as Group

export const checkOf = (id: CheckId): Check => ({ id, group: groupOf(id), ...checks[id] })
