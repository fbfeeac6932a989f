/** What is said of a check wherever it is listed. */

/** The groups of checks: receiver, client, onboarding, security, reconciliation. */
export const groups = {
  RCV: 'Receiver',
  CLI: 'Client',
  ONB: 'Onboarding',
  SEC: 'Security',
  REC: 'Reconciliation',
} as const
export type Group = keyof typeof groups

/** What a check is about, whatever came of it. Texts are plain sentences without markup. */
export interface CheckText {
  /** What a shop does that passes, in a few words. */
  readonly title: string
  /** `mandatory`: without it the shop is not ready. */
  readonly level: 'mandatory' | 'recommended'
  /** `record`: judged from what happened anyway; `made`: made to happen. */
  readonly how: 'record' | 'made'
  /** Whether it counts effects in the shop, for which it needs the probe. */
  readonly probe: boolean
  /** What the shop has to be able to do; without that feature in the profile it is not applicable. */
  readonly feature?: Feature
  /** How it is tried. */
  readonly tried: string
  /** What has to be seen. */
  readonly expected: string
  /** What goes wrong in production without it. */
  readonly why: string
  readonly mend: string
  /** A page of the guides, with a heading where there is one. */
  readonly docs: string
}

/** What a shop can do. The profile lists those it does. */
export const features = [
  'collect',
  'withdraw',
  'global',
  'reversals',
  'look-ups',
  'kyc',
  'invitations',
  'channels',
  'reconciliation',
] as const
export type Feature = (typeof features)[number]
