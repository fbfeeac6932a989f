import type { CheckText, Group } from './checks/check.ts'
import { client } from './checks/client.ts'
import { onboarding, reconciliation, security } from './checks/others.ts'
import { receiverEffects } from './checks/receiver-effects.ts'
import { receiverManners } from './checks/receiver-manners.ts'
import { receiverSignatures } from './checks/receiver-signatures.ts'

export { groups, features } from './checks/check.ts'
export type { CheckText, Feature, Group } from './checks/check.ts'

type One9 = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
type One16 = One9 | 10 | 11 | 12 | 13 | 14 | 15 | 16
type One28 = One16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28

/** Such as `RCV-11`. Ids never change, and none is used again. */
export type CheckId =
  | `RCV-${One28}`
  | `CLI-${One16}`
  | `ONB-${One9}`
  | `SEC-${1 | 2 | 3 | 4 | 5}`
  | `REC-${1 | 2}`

/** Every check, in the order of reports. An id without one does not compile, nor one without an id. */
export const checks: Readonly<Record<CheckId, CheckText>> = {
  ...receiverSignatures,
  ...receiverEffects,
  ...receiverManners,
  ...client,
  ...onboarding,
  ...security,
  ...reconciliation,
} satisfies Record<CheckId, CheckText>

/** A check with its id. */
export interface Check extends CheckText {
  readonly id: CheckId
  readonly group: Group
}

export const checkIds = Object.keys(checks) as readonly CheckId[]

export const isCheckId = (text: string): text is CheckId => Object.hasOwn(checks, text)

export const groupOf = (id: CheckId): Group => id.slice(0, 3) as Group

export const checkOf = (id: CheckId): Check => ({ id, group: groupOf(id), ...checks[id] })
