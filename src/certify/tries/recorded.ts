/** What of a record is read in several ways. */
import type { ShopRequest, Scene } from '../scene.ts'

/** While these are tried, requests are met by faults: how often they come is for these checks alone. */
export const FAULTS: readonly Scene['check'][] = ['CLI-2', 'CLI-3', 'CLI-4', 'CLI-5', 'CLI-8', 'CLI-9']

export const isLookUp = ({ operation }: ShopRequest): boolean => operation === 'getTransactionStatus'

/** A text or a number of a body, as text. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  let here = value
  for (const step of path) here = (here as Record<string, unknown> | null | undefined)?.[step]
  return typeof here === 'string' || typeof here === 'number' ? String(here) : undefined
}
