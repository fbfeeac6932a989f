import { type CheckId, checkIds } from './checks.ts'

/** What loses goods or money for certain comes first; the others follow in the order of checks. */
const FIRST: readonly CheckId[] = [
  'RCV-1',
  'RCV-2',
  'RCV-3',
  'RCV-4',
  'RCV-17',
  'CLI-2',
  'CLI-3',
  'RCV-11',
  'RCV-10',
  'RCV-16',
  'RCV-13',
  'CLI-11',
  'CLI-9',
]

const places = new Map([...new Set([...FIRST, ...checkIds])].map((id, place) => [id, place]))

/** Sorts checks by what it costs when one fails. */
export const byGravity = (a: { readonly id: CheckId }, b: { readonly id: CheckId }): number =>
  (places.get(a.id) ?? places.size) - (places.get(b.id) ?? places.size)
