import type { SignatureProfile } from '../profile.ts'

export interface NoSettings {
  readonly profile: 'none'
}

/** The service itself documents no signature; this is that. */
export const none: SignatureProfile<NoSettings> = {
  name: 'none',
  about: { headers: '–', signed: '–', key: '–', form: '–' },
  defaults: { profile: 'none' },
  headers: () => [],
  sign: () => ({}),
  check: () => null,
}
