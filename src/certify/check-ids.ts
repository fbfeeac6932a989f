export const groups = {
  RCV: 'Receiver',
  CLI: 'Client',
  PAY: 'Payouts',
  ONB: 'Onboarding',
  SEC: 'Security',
  REC: 'Reconciliation',
} as const
export type Group = keyof typeof groups

/** The number of a check never changes, and a removed number is never reused. */
const numbers = {
  RCV: [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
  ],
  CLI: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  PAY: [1, 2, 3, 4, 5, 6, 7, 8],
  ONB: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  SEC: [1, 2, 3, 4, 5],
  REC: [1, 2],
} as const

/** Such as `RCV-11`. */
export type CheckId = { [G in Group]: `${G}-${(typeof numbers)[G][number]}` }[Group]

/** All ids, in the order of reports. */
export const checkIds = Object.entries(numbers).flatMap(([group, of]) =>
  of.map((number) => `${group}-${number}`),
) as readonly CheckId[]

export const groupOf = (id: CheckId): Group => id.slice(0, 3) as Group

export const isCheckId = (text: string): text is CheckId => (checkIds as readonly string[]).includes(text)

/** The checks whose failure certainly loses goods or money. They cannot be waived, and come first in reports. */
export const WORST: readonly CheckId[] = [
  'RCV-1',
  'RCV-2',
  'RCV-3',
  'RCV-4',
  'RCV-17',
  'CLI-11',
  'CLI-2',
  'CLI-3',
  'RCV-11',
  'RCV-10',
  'RCV-16',
  'RCV-13',
  'CLI-9',
  'PAY-1',
  'PAY-2',
  'PAY-4',
]

const severityRanks = new Map([...new Set([...WORST, ...checkIds])].map((id, place) => [id, place]))

/** Compares checks by the severity of a failure. */
export const bySeverity = (a: { readonly id: CheckId }, b: { readonly id: CheckId }): number =>
  severityRanks.get(a.id)! - severityRanks.get(b.id)!
