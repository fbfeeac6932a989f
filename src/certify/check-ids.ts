/** The groups of checks. */
export const groups = {
  RCV: 'Receiver',
  CLI: 'Client',
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
  ONB: [1, 2, 3, 4, 5, 6, 7, 8, 9],
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
