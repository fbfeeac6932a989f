/** The signature doctor: says of a callback as received whether it holds, and if not, which mistake it looks like. */
import {
  customClaim,
  githubClaim,
  hmacSha512Claim,
  standardClaim,
  stripeClaim,
  type Claim,
} from './claims.ts'
import { diagnose, headerOf, mistake, type CheckInput, type Diagnosis } from './diagnosis.ts'
import { checkHmac } from './hmac.ts'
import { checkRfc9421 } from './rfc9421.ts'
import type { TokenSettings } from '../profiles/token.ts'
import { NAMED_SCHEMES, schemeHeaders, type Scheme } from '../schemes.ts'

export type { CheckInput, Diagnosis, HeaderValue, Mistake, MistakeCode } from './diagnosis.ts'

/** Looked for when the world's own schemes say nothing else. */
const USUAL: readonly Scheme[] = [
  NAMED_SCHEMES.standard,
  NAMED_SCHEMES.stripe,
  NAMED_SCHEMES.github,
  NAMED_SCHEMES.rfc9421,
  NAMED_SCHEMES['hmac-sha512'],
  { profile: 'hmac-sha512', header: 'x-paystack-signature' },
  NAMED_SCHEMES.token,
]

/**
 * One diagnosis for each profile whose headers are there; when there are none, one that says so. Pure.
 * A mistake is recognised when it is the only one about key, content or body; those of encoding, mark and time come on top.
 */
export function checkSignatures(input: CheckInput): Diagnosis[] {
  const own = input.schemes ?? []
  const taken = new Set(own.flatMap(schemeHeaders).map((name) => name.toLowerCase()))
  const usual = USUAL.filter((scheme) =>
    schemeHeaders(scheme).every((name) => !taken.has(name.toLowerCase())),
  )
  const found = [...own, ...usual].map((scheme) => check(scheme, input)).filter((each) => each !== null)
  return found.length > 0 ? found : [unsigned([...own, ...usual])]
}

function check(scheme: Scheme, input: CheckInput): Diagnosis | null {
  if (scheme.profile === 'rfc9421') return checkRfc9421(input, scheme)
  if (scheme.profile === 'token') return checkToken(input, scheme)
  const claim = claimOf(scheme, input)
  if (claim && scheme.profile === 'custom' && scheme.template.includes('{url}') && input.url === undefined) {
    const missing = mistake(
      'missing-input',
      'give url (and method, unless POST): they are part of what is signed',
    )
    return diagnose('custom', [missing], { received: null })
  }
  return claim && checkHmac(claim, input)
}

function claimOf(scheme: Exclude<Scheme, { profile: 'rfc9421' | 'token' }>, input: CheckInput): Claim | null {
  switch (scheme.profile) {
    case 'standard':
      return standardClaim(input)
    case 'stripe':
      return stripeClaim(input)
    case 'github':
      return githubClaim(input)
    case 'hmac-sha512':
      return hmacSha512Claim(input, scheme.header)
    case 'custom':
      return customClaim(input, scheme)
    case 'none':
      return null
  }
}

function checkToken(input: CheckInput, { header }: TokenSettings): Diagnosis | null {
  const value = headerOf(input, header)
  if (value === null) return null
  const found = { received: { header, value }, expected: { header, value: input.secret.trim() } }
  if (value === input.secret) return diagnose('token', [], found)
  const space = value.trim() === input.secret.trim()
  const wrong = space
    ? mistake('secret-whitespace', 'token and secret differ by white space around them: trim them')
    : mistake('wrong-secret', `${header} is not the secret: compare it with the signing secret of this world`)
  return diagnose('token', [wrong], found)
}

function unsigned(schemes: readonly Scheme[]): Diagnosis {
  const names = [...new Set(schemes.flatMap((scheme) => schemeHeaders(scheme).slice(0, 1)))]
  return {
    profile: null,
    holds: false,
    received: null,
    expected: null,
    signed: null,
    mistakes: [mistake('missing-header', `none of these headers is there: ${names.join(', ')}`)],
  }
}
