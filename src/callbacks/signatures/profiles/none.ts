import type { SignatureProfile } from '../profile.ts'

/** The specification documents no signature. */
export const none: SignatureProfile<{ readonly profile: 'none' }> = {
  name: 'none',
  about: { headers: '–', signed: '–', key: '–', form: '–' },
  defaults: { profile: 'none' },
  headers: () => [],
  sign: () => ({}),
  check: () => null,
}
