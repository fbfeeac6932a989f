import { toMajor } from '../service/domain/money.ts'
import type { Money } from '../generated/control/schemas.ts'

/** An amount as lists show it. @param minor minor units of the currency */
export const moneyView = (minor: number, currency: string): Money => ({
  amount: toMajor(minor, currency),
  currency,
  minor,
})
