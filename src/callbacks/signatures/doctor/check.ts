/** The signature doctor: verifies a received callback and names the likely mistake. */
import { headersOf, profileNamed, profiles, type SignatureSettings } from '../profiles/profiles.ts'
import { mistake, type CheckInput, type Diagnosis } from './diagnosis.ts'

export interface SignatureCheckInput extends CheckInput {
  /** The signature settings of the world, which name custom headers. */
  readonly signatures?: readonly SignatureSettings[] | undefined
}

/** Profiles to check in addition to the world's settings, those with distinctive headers first. */
const USUAL: readonly SignatureSettings[] = profiles
  .flatMap(({ defaults, alsoUsual = [] }) => [...(defaults ? [defaults] : []), ...alsoUsual])
  .toSorted((one, other) => Number('header' in one) - Number('header' in other))

/**
 * Returns a diagnosis for each profile whose headers exist, or one for their absence. It recognises one mistake about key, content
 * or body, in addition to mistakes of encoding, prefix and time.
 */
export function checkSignatures({ signatures = [], ...input }: SignatureCheckInput): Diagnosis[] {
  const taken = new Set(signatures.flatMap(headersOf).map((name) => name.toLowerCase()))
  const usual = USUAL.filter((settings) =>
    headersOf(settings).every((name) => !taken.has(name.toLowerCase())),
  )
  const lookedFor = [...signatures, ...usual]
  const found = lookedFor
    .map((settings) => profileNamed(settings.profile)!.check(input, settings))
    .filter((each) => each !== null)
  return found.length > 0 ? found : [unsigned(lookedFor)]
}

function unsigned(signatures: readonly SignatureSettings[]): Diagnosis {
  const names = [...new Set(signatures.flatMap((settings) => headersOf(settings).slice(0, 1)))]
  return {
    profile: null,
    valid: false,
    received: null,
    expected: null,
    signed: null,
    mistakes: [mistake('missing-header', `none of these headers is there: ${names.join(', ')}`)],
  }
}
