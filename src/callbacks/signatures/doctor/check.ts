/** The signature doctor: says of a callback as received whether it holds, and if not, which mistake it looks like. */
import { headersOf, profileNamed, profiles, type SignatureSettings } from '../profiles/profiles.ts'
import { mistake, type CheckInput, type Diagnosis } from './diagnosis.ts'

export interface SignatureCheckInput extends CheckInput {
  /** What the world signs with: tells of headers that only settings know. */
  readonly signatures?: readonly SignatureSettings[] | undefined
}

/** Looked for when the world's own settings say nothing else: first what has headers of its own, which anyone else's are not. */
const USUAL: readonly SignatureSettings[] = profiles
  .flatMap(({ defaults, alsoUsual = [] }) => [...(defaults ? [defaults] : []), ...alsoUsual])
  .toSorted((one, other) => Number('header' in one) - Number('header' in other))

/**
 * One diagnosis for each profile whose headers are there; when there are none, one that says so. Pure.
 * A mistake is recognised when it is the only one about key, content or body; those of encoding, mark and time come on top.
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
    holds: false,
    received: null,
    expected: null,
    signed: null,
    mistakes: [mistake('missing-header', `none of these headers is there: ${names.join(', ')}`)],
  }
}
